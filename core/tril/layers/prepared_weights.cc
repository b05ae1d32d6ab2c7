#include <tril/foundation/check.h>
#include <tril/layers/prepared_weights.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace tril {
namespace {

template <typename Copy>
bool is_of(const Copy& copy, const MatrixView<const float>& weight) noexcept {
  return copy.data == weight.data() && copy.rows == weight.size(0) && copy.cols == weight.size(1) &&
         copy.stride == weight.stride(0);
}

}  // namespace

// Several matrices may begin at one address, a matrix and its first rows: they are neighbours.
std::vector<PreparedWeights::Copy>::const_iterator PreparedWeights::place(
    const MatrixView<const float>& weight) const noexcept {
  auto found = std::lower_bound(copies_.begin(), copies_.end(), weight.data(),
                                [](const Copy& copy, const float* data) {
                                  return std::less<const float*>()(copy.data, data);
                                });
  while (found != copies_.end() && found->data == weight.data() && !is_of(*found, weight)) ++found;
  return found;
}

void PreparedWeights::pack(const MatrixView<const float>& weight, const Context& context) {
  const auto found = place(weight);
  if (found != copies_.end() && is_of(*found, weight)) {
    Copy& copy = copies_[static_cast<std::size_t>(found - copies_.begin())];
    if (copy.generation == generation_) return;
    copy.packed.pack(weight, true, context);
    copy.generation = generation_;
    return;
  }
  Copy copy{weight.data(),    weight.size(0), weight.size(1),
            weight.stride(0), generation_,    PackedMatrix(weight, true, context)};
  copies_.insert(found, std::move(copy));
}

PackedColumns PreparedWeights::columns(const MatrixView<const float>& weight) const noexcept {
  const auto found = place(weight);
  if (found == copies_.end() || !is_of(*found, weight)) return {};
  return {found->generation == generation_ ? &found->packed : nullptr, 0};
}

const PackedMatrix* PreparedWeights::find(const MatrixView<const float>& weight) const noexcept {
  return columns(weight).matrix;
}

void PreparedWeights::drop(const MatrixView<const float>& weight) noexcept {
  const auto found = place(weight);
  if (found != copies_.end() && is_of(*found, weight)) copies_.erase(found);
}

std::size_t PreparedWeights::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const Copy& copy : copies_) bytes += copy.packed.bytes();
  return bytes;
}

}  // namespace tril
