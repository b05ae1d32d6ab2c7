// Writes the bytes of tensors, piece by piece, to the final memory of the parameters.
#include <tril/foundation/check.h>
#include <tril/matmul/q8_0.h>
#include <tril/model/parameter_reader.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";

// Copies whole elements unchanged.
void load(ElementType, std::span<const std::byte> from, std::span<std::uint16_t> out) noexcept {
  std::memcpy(out.data(), from.data(), out.size_bytes());
}
// Converts elements to floats.
void load(ElementType type, std::span<const std::byte> from, std::span<float> out) {
  StoredTensor tensor{.type = type, .shape = {static_cast<Index>(out.size())}};
  tensor.bytes = from;
  read_elements(tensor, out);
}

// Writes the elements in `bytes`, from `first` on, to their final memory. Rows of a matrix in
// another order than in memory are written one cache line at a time:
//   for each run, some whole rows or the rest of one:  to[col][row...] = run[row...][col]
template <typename T>
void load_elements(const StoredParameter& parameter, ElementType type, Index first,
                   std::span<const std::byte> bytes, T* to) {
  const auto size = static_cast<Index>(element_size(type));
  const auto length = static_cast<Index>(block_length(type));
  const Index end = first + static_cast<Index>(bytes.size()) / size * length;
  if (!parameter.transposed) {
    return parameter.for_each_run(first, end, [&](Index at, Index place, Index count) {
      const auto part = bytes.subspan(static_cast<std::size_t>((at - first) / length * size),
                                      static_cast<std::size_t>(count / length * size));
      load(type, part, {to + place, static_cast<std::size_t>(count)});
      if constexpr (std::is_same_v<T, float>) {
        for (Index i = 0; i < count; ++i) to[place + i] = parameter.in_memory(to[place + i]);
      }
    });
  }
  const Index rows = parameter.shape[0], cols = parameter.shape[1];
  const Index most = static_cast<Index>(kAlignment / sizeof(T));
  std::vector<T> run(static_cast<std::size_t>(std::min(most * cols, end - first)));
  for (Index at = first; at < end;) {
    const Index row = at / cols, col = at % cols, whole = (end - at) / cols;
    const bool has_rows = col == 0 && whole > 0;
    const Index height = has_rows ? std::min(most, whole) : 1;
    const Index width = has_rows ? cols : std::min(cols - col, end - at);
    const auto count = static_cast<std::size_t>(height * width);
    load(type,
         bytes.subspan(static_cast<std::size_t>((at - first) * size),
                       count * static_cast<std::size_t>(size)),
         std::span(run).first(count));
    for (Index m = 0; m < width; ++m) {
      for (Index n = 0; n < height; ++n) {
        to[(col + m) * rows + row + n] = run[static_cast<std::size_t>(n * width + m)];
      }
    }
    at += height * width;
  }
}

// Writes whole blocks of q8_0 unchanged to their final memory.
void load_blocks(const StoredParameter& parameter, Index first, std::span<const std::byte> bytes,
                 std::byte* to) {
  constexpr ElementType kType = ElementType::q8_0;
  const std::size_t size = element_size(kType), length = block_length(kType);
  const auto bytes_to = [&](Index count) {
    return static_cast<std::size_t>(count) / length * size;
  };
  const Index end = first + static_cast<Index>(bytes.size() / size * length);
  parameter.for_each_run(first, end, [&](Index at, Index place, Index count) {
    std::memcpy(to + bytes_to(place), bytes.data() + bytes_to(at - first), bytes_to(count));
  });
}

}  // namespace

// Adds the numbers in bytes_, which begin at byte `begin` of the tensor, to the waiting floats.
// for each row of memory that is complete:  quantise it
void ParameterReader::quantise(const ParameterRange& range, std::size_t begin) {
  const StoredParameter& parameter = *range.parameter;
  const Weight rows = model_.rows_of(parameter);
  std::byte* const memory = model_.memory_of(parameter);
  std::vector<float>& waiting = floats_[parameter.name];
  const auto quantise = [&](const float* row, Index n) {
    if (quantise_q8_0(row, rows.size(1), memory + (rows.row(n) - rows.row(0)))) return;
    fail(kCall, parameter.name.c_str(),
         "holds a number that is not finite, or too large for q8_0, whose scales are float16");
  };
  const ElementType type = range.tensor.type;
  const auto length = static_cast<std::size_t>(block_length(type));
  const std::size_t count = bytes_.size() / element_size(type) * length, before = waiting.size();
  waiting.resize(before + count);
  load(type, bytes_, std::span(waiting).subspan(before));
  if (parameter.transposed) {
    if (begin + bytes_.size() < range.size) return;
    std::vector<float> row(static_cast<std::size_t>(rows.size(1)));
    for (Index n = 0; n < rows.size(0); ++n) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        row[k] = waiting[k * static_cast<std::size_t>(rows.size(0)) + static_cast<std::size_t>(n)];
      }
      quantise(row.data(), n);
    }
    waiting = std::vector<float>();
    return;
  }
  const Index cols = rows.size(1), whole = static_cast<Index>(waiting.size()) / cols;
  const auto first = static_cast<Index>(begin / element_size(type) * length - before);
  parameter.for_each_run(first, first + whole * cols, [&](Index file, Index to, Index size) {
    for (Index at = 0; at < size; at += cols) {
      quantise(waiting.data() + file - first + at, (to + at) / cols);
    }
  });
  waiting.erase(waiting.begin(), waiting.begin() + whole * cols);
}

void ParameterReader::read(const ParameterRange& range, std::size_t begin, std::size_t size,
                           const Fill& fill) {
  allocate();
  const StoredParameter& parameter = *range.parameter;
  const ElementType type = range.tensor.type;
  const auto at = left_.find(parameter.name);
  const std::size_t left = at == left_.end() ? range.size : at->second;
  if (begin != range.size - left || size > left || size % element_size(type) != 0) {
    fail(kCall, parameter.name.c_str(),
         {size, " bytes from byte ", begin, " are not the next of ", range.size, ", of which ",
          left, " are to come"});
  }
  const WeightKind kind = model_.rows_of(parameter).kind();
  std::byte* const to = model_.memory_of(parameter);
  const auto first = static_cast<Index>(begin / element_size(type)) * block_length(type);
  const bool is_alike =
      !parameter.transposed && !parameter.order.is_other() && parameter.added == 0;
  const bool is_narrow = kind == WeightKind::float16 || kind == WeightKind::bfloat16;
  const bool has_blocks = kind == WeightKind::q8_0 && type == ElementType::q8_0;
  const bool has_floats = kind == WeightKind::float32 && type == ElementType::float32;
  if (is_alike && (is_narrow || has_blocks || has_floats)) {
    fill({to + begin, size});
  } else {
    if (bytes_.capacity() < size) bytes_ = std::vector<std::byte>();  // never both at once
    bytes_.resize(size);
    fill(bytes_);
    if (has_blocks && !parameter.transposed) {
      load_blocks(parameter, first, bytes_, to);
    } else if (kind == WeightKind::q8_0) {
      quantise(range, begin);
    } else if (is_narrow) {
      load_elements(parameter, type, first, bytes_, reinterpret_cast<std::uint16_t*>(to));
    } else {
      load_elements(parameter, type, first, bytes_, reinterpret_cast<float*>(to));
    }
  }
  left_[parameter.name] = left - size;
}

}  // namespace tril
