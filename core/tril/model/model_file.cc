#include <tril/foundation/check.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

// Rows [first, first + count) of a matrix as the file has it.
void copy_rows(const StoredParameter& each, Index first, Index count, float* to) noexcept {
  const Index rows = each.shape[0], cols = each.shape.size() > 1 ? each.shape[1] : 1;
  if (!each.transposed) {
    std::copy_n(each.data + first * cols, count * cols, to);
    return;
  }
  for (Index m = 0; m < cols; ++m) {
    for (Index n = 0; n < count; ++n) to[n * cols + m] = each.data[m * rows + first + n];
  }
}

// Tensors to be written, piece by piece: none is in memory twice.
class Stored {
 public:
  explicit Stored(ElementType type = ElementType::float32) : type_(type) {}
  void add(const std::string& prefix, const std::vector<StoredParameter>& parameters) {
    for (const StoredParameter& each : parameters) {
      parameters_.push_back(each);
      tensors_.push_back({prefix + each.name,
                          each.shape,
                          {each.data, static_cast<std::size_t>(each.count())},
                          type_});
    }
  }
  void write(const Metadata& metadata, const WritePiece& write) const {
    const std::string header = safetensors_header(tensors_, metadata);
    write(std::as_bytes(std::span(header)));
    constexpr Index kFloats = 1 << 14;  // at a time
    std::vector<float> floats;
    std::vector<std::byte> bytes;
    for (const StoredParameter& each : parameters_) {
      const Index rows = each.shape[0], cols = each.count() / rows;
      const Index most = std::max<Index>(1, kFloats / cols);
      for (Index first = 0; first < rows; first += most) {
        const Index count = std::min(most, rows - first);
        floats.resize(static_cast<std::size_t>(count * cols));
        bytes.resize(floats.size() * element_size(type_));
        copy_rows(each, first, count, floats.data());
        write_elements(floats, type_, bytes);
        write(bytes);
      }
    }
  }
  std::vector<std::byte> bytes(const Metadata& metadata) const {
    std::vector<std::byte> all;
    std::size_t size = std::size_t{1} << 16;  // a header mostly has less
    for (const TensorToStore& each : tensors_) size += each.elements.size() * element_size(type_);
    all.reserve(size);
    write(metadata, [&](std::span<const std::byte> piece) {
      all.insert(all.end(), piece.begin(), piece.end());
    });
    return all;
  }

 private:
  ElementType type_;
  std::vector<StoredParameter> parameters_;
  std::vector<TensorToStore> tensors_;  // of those: names, shapes and sizes
};

// Throws unless the file has all of them.
void check_all(const char* call, const Safetensors& file, const std::string& prefix,
               const std::vector<StoredParameter>& parameters) {
  for (const StoredParameter& each : parameters) {
    const std::string name = prefix + each.name;
    const StoredTensor* const tensor = file.find(name);
    if (!tensor) fail(call, name.c_str(), "is not in the file");
    if (tensor->shape == each.shape) continue;
    fail(call, name.c_str(), {"shape must be ", each.shape, ", is ", tensor->shape});
  }
}

void read_all(const Safetensors& file, const std::string& prefix,
              const std::vector<StoredParameter>& parameters) {
  std::vector<float> elements;
  for (const StoredParameter& each : parameters) {
    elements.resize(static_cast<std::size_t>(each.count()));
    read_elements(*file.find(prefix + each.name), std::span<float>(elements));
    each.copy_from(elements.data());
  }
}

constexpr const char* kFirst = "first_moment.";
constexpr const char* kSecond = "second_moment.";

}  // namespace

namespace {

Stored model_tensors(const LanguageModel& model, ElementType type) {
  Stored stored(type);
  stored.add("", stored_parameters(model.config(), model.weights()));
  return stored;
}
const Metadata kModelMetadata = {{"format", "pt"}};  // which Hugging Face's library asks for

}  // namespace

std::vector<std::byte> model_file(const LanguageModel& model, ElementType type) {
  return model_tensors(model, type).bytes(kModelMetadata);
}

void write_model_file(const LanguageModel& model, const WritePiece& write, ElementType type) {
  model_tensors(model, type).write(kModelMetadata, write);
}

void load_model(const Safetensors& file, LanguageModel& model) {
  const auto parameters = stored_parameters(model.config(), model.weights());
  check_all("load_model", file, "", parameters);
  read_all(file, "", parameters);
}

namespace {

Metadata checkpoint_metadata(const Trainer& trainer, const Metadata& more) {
  const ModelConfig& config = trainer.model().config();
  Metadata metadata = checkpoint_settings(config, trainer.options());
  metadata["trainer.done"] = std::to_string(trainer.steps());
  for (const auto& [name, text] : more) {
    if (name.find('.') != std::string::npos)
      fail("checkpoint_file", name.c_str(), "has a dot in it");
    metadata[name] = text;
  }
  return metadata;
}

Stored checkpoint_tensors(const Trainer& trainer) {
  const ModelConfig& config = trainer.model().config();
  Stored stored;
  stored.add("", stored_parameters(config, trainer.model().weights()));
  stored.add(kFirst, stored_parameters(config, trainer.first_moment()));
  stored.add(kSecond, stored_parameters(config, trainer.second_moment()));
  return stored;
}

}  // namespace

std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more) {
  return checkpoint_tensors(trainer).bytes(checkpoint_metadata(trainer, more));
}

void write_checkpoint_file(const Trainer& trainer, const Metadata& more, const WritePiece& write) {
  checkpoint_tensors(trainer).write(checkpoint_metadata(trainer, more), write);
}

void restore_checkpoint(const Safetensors& file, Trainer& trainer) {
  constexpr const char* kCall = "restore_checkpoint";
  const Checkpoint checkpoint = read_checkpoint(file);
  const ModelConfig& config = trainer.model().config();
  const Metadata here = checkpoint_settings(config, trainer.options());
  for (const auto& [name, text] : checkpoint_settings(checkpoint.config, checkpoint.options)) {
    if (name == "trainer.steps" || here.at(name) == text) continue;
    fail(kCall, name.c_str(), {"is ", here.at(name), ", and in the checkpoint ", text});
  }
  const auto parameters = stored_parameters(config, trainer.model().weights());
  const auto first = stored_parameters(config, trainer.first_moment());
  const auto second = stored_parameters(config, trainer.second_moment());
  check_all(kCall, file, "", parameters);
  check_all(kCall, file, kFirst, first);
  check_all(kCall, file, kSecond, second);
  read_all(file, "", parameters);
  read_all(file, kFirst, first);
  read_all(file, kSecond, second);
  trainer.set_steps(checkpoint.steps);
}

}  // namespace tril
