#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/scratch.h>

#include <algorithm>
#include <limits>

namespace tril {
namespace {

constexpr const char* kCall = "Scratch";
constexpr const char* kTakes = "working memory takes";

constexpr std::size_t kSmallestBlock = std::size_t{64}
                                       << 10;  // 64 KiB: a little more than one packed panel

}  // namespace

std::size_t Scratch::capacity() const noexcept {
  std::size_t bytes = 0;
  for (const AlignedMemory& block : blocks_) bytes += block.bytes();
  return bytes;
}

void Scratch::clear() noexcept {
  blocks_.clear();
  block_ = used_ = lent_ = 0;
}

std::byte* Scratch::take(double count, std::size_t element_size) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 2 - kAlignment;
  if (count > static_cast<double>(kMost / element_size)) {
    detail::fail_for_memory(kCall, kTakes, count * static_cast<double>(element_size));
  }
  const std::size_t bytes =
      (static_cast<std::size_t>(count) * element_size + kAlignment - 1) / kAlignment * kAlignment;

  // The current block, else the next one that is large enough, else a new one.
  while (block_ < blocks_.size() && blocks_[block_].bytes() - used_ < bytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max(bytes, kSmallestBlock);
    detail::with_memory(kCall, kTakes, static_cast<double>(size),
                        [&] { blocks_.emplace_back(size, kCall, kTakes); });
    used_ = 0;
  }
  std::byte* const start = blocks_[block_].data() + used_;
  used_ += bytes;
  lent_ += bytes;
  peak_ = std::max(peak_, lent_);
  return start;
}

Scratch::Frame::Frame(Scratch& scratch) noexcept
    : scratch_(scratch), block_(scratch.block_), used_(scratch.used_), lent_(scratch.lent_) {}

Scratch::Frame::~Frame() {
  scratch_.block_ = block_;
  scratch_.used_ = used_;
  scratch_.lent_ = lent_;
  // When nothing is borrowed, many small blocks become one large one, so that the next call finds
  // all its memory in one block.
  if (lent_ == 0 && scratch_.blocks_.size() > 1) {
    const std::size_t bytes = scratch_.capacity();
    scratch_.clear();
    try {
      scratch_.blocks_.emplace_back(bytes, kCall, kTakes);
    } catch (...) {
      // Owning no memory is valid: the next call allocates. Where memory runs out, even the error's
      // text may fail, and no exception may leave a destructor.
    }
  }
}

}  // namespace tril
