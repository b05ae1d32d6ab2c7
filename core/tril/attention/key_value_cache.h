// The keys and values of what was decoded so far, [B, Hk, capacity, D], so that each new token
// attends to all before it without computing, or copying, theirs again:
//
//     KeyValueCache cache({.heads = 8, .capacity = 8192, .width = 64});
//     cache.append(key, value);                                   // those of the new tokens
//     attention(query, cache.keys(), cache.values(), {.causal = true, .past = before}, ...);
//     cache.set_length(before);                                   // rewinds, in O(1)
//
// Nothing that was appended moves: a view of it stays good as long as the cache lives.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/tensor.h>

#include <string_view>

namespace tril {

// Of a cache. All are at least 1.
struct KeyValueCacheSizes {
  Index batches = 1;      // B
  Index heads = 1;        // Hk, of keys and values
  Index capacity = 1;     // the most tokens that it can hold
  Index width = 1;        // D, of a key
  Index value_width = 0;  // Dv, of a value; 0: as of a key
};

// Owns keys and values.
class KeyValueCache {
 public:
  // Empty. Throws Error for a size below 1 or one that cannot be addressed, OutOfMemory where
  // there is less memory.
  explicit KeyValueCache(const KeyValueCacheSizes& sizes);

  Index batches() const noexcept { return keys_.shape()[0]; }        // B
  Index heads() const noexcept { return keys_.shape()[1]; }          // Hk
  Index capacity() const noexcept { return keys_.shape()[2]; }       // in tokens
  Index width() const noexcept { return keys_.shape()[3]; }          // D
  Index value_width() const noexcept { return values_.shape()[3]; }  // Dv
  // How many tokens there are.
  Index length() const noexcept { return length_; }
  // Of keys and values, whatever the length.
  std::size_t bytes() const noexcept;

  // key [B, Hk, T, D] and value [B, Hk, T, Dv] of the next T tokens, of any strides. Throws Error
  // where shapes do not fit, or more tokens come than there is room for; nothing is then appended.
  void append(const TensorView<const float, 4>& key, const TensorView<const float, 4>& value);

  // Forgets all tokens from `length` on. Throws Error for more than there are, and below 0.
  void set_length(Index length);

  // All that there are, [B, Hk, length, D] and [B, Hk, length, Dv]; none where it is empty.
  TensorView<const float, 4> keys() const noexcept { return filled(keys_); }
  TensorView<const float, 4> values() const noexcept { return filled(values_); }

 private:
  TensorView<const float, 4> filled(const Buffer<float, 4>& all) const noexcept;

  Buffer<float, 4> keys_, values_;
  Index length_ = 0;
};

// Throws what append() would for shapes [B, Hk, T, D] and [B, Hk, T, Dv], in the name of `call`, of
// `past`.
void check_append(const KeyValueCache& cache, const Shape<4>& key, const Shape<4>& value,
                  const char* call);

}  // namespace tril
