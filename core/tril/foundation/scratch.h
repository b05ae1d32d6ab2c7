// Working memory that functions borrow: a stack of blocks.
//
// A function opens a Frame, takes what it needs, and returns all of it when the frame ends.
// Borrowed memory never moves. After the first call of a kind nothing is allocated any more. Two
// threads must not use it at once: take the memory of all workers before the parallel part, a slice
// each.
#pragma once

#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <vector>

namespace tril {

// Owns the memory and keeps it for the next call.
class Scratch {
 public:
  Scratch() noexcept = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Bytes that it holds, borrowed or not.
  std::size_t capacity() const noexcept;
  // Maximum number of bytes borrowed at once since reset_peak(): the actual need of a call.
  std::size_t peak() const noexcept { return peak_; }
  // Restarts peak().
  void reset_peak() noexcept { peak_ = lent_; }
  // Frees all memory. No frame may be open.
  void clear() noexcept;

  // The memory taken from a frame is returned where the frame ends.
  class Frame {
   public:
    // Frames must end in the opposite order of their beginning.
    explicit Frame(Scratch& scratch) noexcept;
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    // Takes uninitialised elements on a 64-byte boundary; their number is the product of `sizes`,
    // none of which is negative. Throws OutOfMemory.
    template <typename T, typename... Sizes>
    T* take(Sizes... sizes) {
      return reinterpret_cast<T*>(scratch_.take(detail::times(sizes...), sizeof(T)));
    }

   private:
    Scratch& scratch_;
    std::size_t block_, used_, lent_;
  };

 private:
  std::byte* take(double count, std::size_t element_size);

  std::vector<AlignedMemory> blocks_;
  std::size_t block_ = 0;  // the block in use
  std::size_t used_ = 0;   // bytes borrowed of that block
  std::size_t lent_ = 0;   // bytes borrowed of all blocks
  std::size_t peak_ = 0;
};

}  // namespace tril
