#include <tril/foundation/check.h>
#include <tril/model/model_file.h>
#include <tril/model/stored_tensors.h>

namespace tril {
namespace {

using detail::StoredTensors;

StoredTensors model_tensors(const LanguageModel& model, ElementType type) {
  StoredTensors stored(type);
  stored.add("", stored_parameters(model.config(), model.weights()));
  return stored;
}
const Metadata kModelMetadata = {{"format", "pt"}};  // required by Hugging Face's library

}  // namespace

std::vector<std::byte> model_file(const LanguageModel& model, ElementType type) {
  return model_tensors(model, type).bytes(kModelMetadata);
}

void write_model_file(const LanguageModel& model, const WritePiece& write, ElementType type) {
  model_tensors(model, type).write(kModelMetadata, write);
}

void load_model(const Safetensors& file, LanguageModel& model) {
  const auto parameters = stored_parameters(model.config(), model.weights());
  detail::check_stored("load_model", file, "", parameters);
  detail::read_stored(file, "", parameters);
}

}  // namespace tril
