#include <tril/foundation/check.h>
#include <tril/model/parameter_writer.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace tril {
namespace {

constexpr Index kNumbers = 1 << 14;  // of a transposed matrix at a time

// Writes rows of a matrix in the file's order, which differs from that in memory.
template <typename T>
void write_transposed(const StoredParameter& parameter, const T* data, const WritePiece& write) {
  const Index rows = parameter.shape[0], cols = parameter.shape[1];
  const Index most = std::max<Index>(1, kNumbers / cols);
  std::vector<T> piece(static_cast<std::size_t>(std::min(most, rows) * cols));
  for (Index first = 0; first < rows; first += most) {
    const Index count = std::min(most, rows - first);
    detail::transpose_columns(data, cols, rows, first, count, piece.data());
    write(std::as_bytes(std::span(piece).first(static_cast<std::size_t>(count * cols))));
  }
}

// Writes rows of another kind as floats, a row at a time, or all at once where memory has another
// order.
void write_widened(const StoredParameter& parameter, const Weight& rows, const WritePiece& write) {
  const Index cols = rows.size(1), most = parameter.transposed ? rows.size(0) : 1;
  std::vector<float> floats(static_cast<std::size_t>(most * cols));
  if (parameter.transposed) {
    for (Index n = 0; n < most; ++n) rows.widen(n, 0, cols, floats.data() + n * cols);
    return write_transposed(parameter, floats.data(), write);
  }
  parameter.for_each_run(0, parameter.count(), [&](Index, Index from, Index count) {
    for (Index at = from; at < from + count; at += cols) {
      rows.widen(at / cols, 0, cols, floats.data());
      write(std::as_bytes(std::span(floats)));
    }
  });
}

}  // namespace

ElementType stored_type(WeightKind kind) noexcept {
  if (kind == WeightKind::float16) return ElementType::float16;
  return kind == WeightKind::bfloat16 ? ElementType::bfloat16 : ElementType::float32;
}

ParameterWriter::ParameterWriter(const ModelParameters& parameters)
    : parameters_(stored_parameters(parameters.config(), parameters.layout())) {
  if (parameters.bytes() == 0) fail("ParameterWriter", "parameters", "have not been read");
  std::vector<TensorToStore> tensors;
  for (const StoredParameter& each : parameters_) {
    const auto count = static_cast<std::size_t>(each.count());
    rows_.push_back(parameters.rows_of(each));
    types_.push_back(stored_type(rows_.back().kind()));
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
    const Weight& rows = rows_[n];
    if (each.added != 0) {  // only vectors have it
      std::vector<float> floats(static_cast<std::size_t>(each.count()));
      each.copy_to(floats.data());
      write(std::as_bytes(std::span(floats)));
    } else if (rows.kind() == WeightKind::q8_0) {
      write_widened(each, rows, write);
    } else if (!each.transposed) {
      const auto* const bytes = rows ? rows.row(0) : reinterpret_cast<const std::byte*>(each.data);
      const auto size = static_cast<Index>(element_size(types_[n]));
      each.for_each_run(0, each.count(), [&](Index, Index from, Index count) {
        write({bytes + from * size, static_cast<std::size_t>(count * size)});
      });
    } else if (types_[n] != ElementType::float32) {
      write_transposed(each, reinterpret_cast<const std::uint16_t*>(rows.row(0)), write);
    } else {
      write_transposed(each, each.data, write);
    }
  }
}

}  // namespace tril
