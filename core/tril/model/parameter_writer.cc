#include <tril/foundation/check.h>
#include <tril/model/parameter_writer.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace tril {
namespace {

constexpr Index kNumbers = 1 << 14;  // of a transposed matrix at a time

// Rows of a matrix that memory has in another order, as the file has them.
template <typename T>
void write_transposed(const StoredParameter& parameter, const T* data, const WritePiece& write) {
  const Index rows = parameter.shape[0], cols = parameter.shape[1];
  const Index most = std::max<Index>(1, kNumbers / cols);
  std::vector<T> piece(static_cast<std::size_t>(std::min(most, rows) * cols));
  for (Index first = 0; first < rows; first += most) {
    const Index count = std::min(most, rows - first);
    for (Index m = 0; m < cols; ++m) {
      for (Index n = 0; n < count; ++n) {
        piece[static_cast<std::size_t>(n * cols + m)] = data[m * rows + first + n];
      }
    }
    write(std::as_bytes(std::span(piece).first(static_cast<std::size_t>(count * cols))));
  }
}

}  // namespace

ParameterWriter::ParameterWriter(const ModelParameters& parameters)
    : parameters_(stored_parameters(parameters.config(), parameters.places())) {
  if (parameters.bytes() == 0) fail("ParameterWriter", "parameters", "have not been read");
  std::vector<TensorToStore> tensors;
  for (const StoredParameter& each : parameters_) {
    const auto count = static_cast<std::size_t>(each.count());
    types_.push_back(parameters.type_of(each));
    tensors.push_back({each.name, each.shape, {each.data, count}, types_.back()});
    size_ += count * element_size(types_.back());
  }
  header_ = safetensors_header(tensors, {{"format", "pt"}});
  size_ += header_.size();
}

void ParameterWriter::write(const WritePiece& write) const {
  write(std::as_bytes(std::span(header_)));
  for (std::size_t n = 0; n < parameters_.size(); ++n) {
    const StoredParameter& each = parameters_[n];
    const bool narrow = types_[n] != ElementType::float32;
    if (each.added != 0) {  // a vector
      std::vector<float> floats(static_cast<std::size_t>(each.count()));
      each.copy_to(floats.data());
      write(std::as_bytes(std::span(floats)));
    } else if (!each.transposed) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(each.data);
      const auto size = static_cast<Index>(element_size(types_[n]));
      each.for_each_run(0, each.count(), [&](Index, Index from, Index count) {
        write({bytes + from * size, static_cast<std::size_t>(count * size)});
      });
    } else if (narrow) {
      write_transposed(each, reinterpret_cast<const std::uint16_t*>(each.data), write);
    } else {
      write_transposed(each, each.data, write);
    }
  }
}

}  // namespace tril
