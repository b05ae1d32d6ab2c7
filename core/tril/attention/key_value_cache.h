// The keys and values of the tokens decoded so far, [B, Hk, capacity, D]. Each new token attends to
// all earlier ones without computing or copying their keys and values again:
//
//     KeyValueCache cache({.heads = 8, .capacity = 8192, .width = 64});
//     cache.append(key, value);                                   // those of the new tokens
//     attention(query, cache.keys(), cache.values(), {.causal = true, .past = before}, ...);
//     cache.set_length(before);                                   // rewinds, in O(1)
//
// Appended elements never move: a view of them stays valid as long as the cache lives.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/tensor.h>

#include <string_view>

namespace tril {

// The sizes of a cache. All but value_width are at least 1.
struct KeyValueCacheSizes {
  Index batches = 1;      // B
  Index heads = 1;        // Hk, of keys and values
  Index capacity = 1;     // maximum number of tokens
  Index width = 1;        // D, of a key
  Index value_width = 0;  // Dv, of a value; 0: D
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
  // The number of tokens.
  Index length() const noexcept { return length_; }
  // Bytes that the keys and values take, whatever the length.
  std::size_t bytes() const noexcept;

  // Appends key [B, Hk, T, D] and value [B, Hk, T, Dv] of the next T tokens, which may have any
  // strides. Throws Error where shapes do not fit or the tokens exceed the capacity; nothing is
  // appended then.
  void append(const TensorView<const float, 4>& key, const TensorView<const float, 4>& value);

  // Forgets all tokens from `length` on. Throws Error for a length below 0 or above length().
  void set_length(Index length);

  // The keys [B, Hk, length, D] and the values [B, Hk, length, Dv]; no tensor where the cache is
  // empty.
  TensorView<const float, 4> keys() const noexcept { return filled(keys_); }
  TensorView<const float, 4> values() const noexcept { return filled(values_); }

 private:
  TensorView<const float, 4> filled(const Buffer<float, 4>& all) const noexcept;

  Buffer<float, 4> keys_, values_;
  Index length_ = 0;
};

// Throws the Error that append() would throw for shapes [B, Hk, T, D] and [B, Hk, T, Dv], about the
// argument `past` of `call`.
void check_append(const KeyValueCache& cache, const Shape<4>& key, const Shape<4>& value,
                  const char* call);

}  // namespace tril
