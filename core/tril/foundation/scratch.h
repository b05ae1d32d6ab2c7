// Working memory that is lent, not owned, by the functions that need it: a stack of blocks.
//
// A function opens a Frame, takes what it needs, and gives all of it back when the frame ends.
// Nothing that is lent ever moves. After the first call of a kind no memory is allocated any more.
// Not for two threads at once: take what all workers need before the parallel part, a slice each.
#pragma once

#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <vector>

namespace tril {

// Lends memory, and keeps it for the next call.
class Scratch {
 public:
  Scratch() noexcept = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Bytes held, lent or not.
  std::size_t capacity() const noexcept;
  // The most bytes that were lent at once since reset_peak(): what a call really needed.
  std::size_t peak() const noexcept { return peak_; }
  // From here on peak() counts anew.
  void reset_peak() noexcept { peak_ = lent_; }
  // Returns all memory. No frame may be open.
  void clear() noexcept;

  // What is taken in it is given back, for the next to take, where it ends.
  class Frame {
   public:
    // Frames end in the opposite order.
    explicit Frame(Scratch& scratch) noexcept;
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    // Uninitialised elements on a 64-byte boundary, as many as `sizes`, none of them negative,
    // multiplied. Throws OutOfMemory.
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
  std::size_t block_ = 0;  // the block that the next bytes come from
  std::size_t used_ = 0;   // bytes lent of that block
  std::size_t lent_ = 0;   // bytes lent of all blocks
  std::size_t peak_ = 0;
};

}  // namespace tril
