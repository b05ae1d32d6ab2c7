#include <tril/attention/key_value_cache.h>
#include <tril/foundation/check.h>
#include <tril/foundation/copy.h>

namespace tril {
namespace {

constexpr const char* kCall = "key_value_cache";

void check_sizes(const KeyValueCacheSizes& s) {
  const auto check = [](const char* name, Index size, Index least) {
    if (size >= least) return;
    fail(kCall, name, {"must be at least ", least, ", is ", size});
  };
  check("batches", s.batches, 1);
  check("heads", s.heads, 1);
  check("capacity", s.capacity, 1);
  check("width", s.width, 1);
  check("value_width", s.value_width, 0);
}

// The number of elements of a cache of width `width`; checked.
Shape<4> shape_of(const KeyValueCacheSizes& s, Index width) {
  const Shape<4> shape = {s.batches, s.heads, s.capacity, width};
  checked_count(shape.data(), 4, sizeof(float), kCall, "capacity");
  return shape;
}

// For each head: rows from `first` on = the rows of `from`.
void copy_rows(const TensorView<const float, 4>& from, Index first, Buffer<float, 4>& to) noexcept {
  const auto all = to.view();
  detail::copy(from, TensorView<float, 4>(all[0][0][first].data(), from.shape(), all.strides()));
}

}  // namespace

KeyValueCache::KeyValueCache(const KeyValueCacheSizes& sizes)
    : keys_((check_sizes(sizes), shape_of(sizes, sizes.width))),
      values_(shape_of(sizes, sizes.value_width == 0 ? sizes.width : sizes.value_width)) {}

std::size_t KeyValueCache::bytes() const noexcept {
  return static_cast<std::size_t>(keys_.view().count() + values_.view().count()) * sizeof(float);
}

void check_append(const KeyValueCache& cache, const Shape<4>& key, const Shape<4>& value,
                  const char* call) {
  const Shape<4> expected = {cache.batches(), cache.heads(), key[2], cache.width()};
  const Shape<4> of_value = {cache.batches(), cache.heads(), key[2], cache.value_width()};
  if (key != expected) {
    fail(call, "past", {"holds keys ", expected, ", those to append are ", key});
  }
  if (value != of_value) {
    fail(call, "past", {"holds values ", of_value, ", those to append are ", value});
  }
  if (key[2] > cache.capacity() - cache.length()) {
    fail(call, "past",
         {"has a capacity of ", cache.capacity(), " tokens and holds ", cache.length(), "; ",
          key[2], " more do not fit"});
  }
}

void KeyValueCache::append(const TensorView<const float, 4>& key,
                           const TensorView<const float, 4>& value) {
  check_view(key, kCall, "key", empty_but_wide(key));
  check_view(value, kCall, "value", empty_but_wide(value));
  check_append(*this, key.shape(), value.shape(), kCall);
  copy_rows(key, length_, keys_);
  copy_rows(value, length_, values_);
  length_ += key.size(2);
}

void KeyValueCache::set_length(Index length) {
  if (length < 0 || length > length_) {
    fail(kCall, "length",
         {"must be from 0 to the ", length_, " tokens that it holds, is ", length});
  }
  length_ = length;
}

TensorView<const float, 4> KeyValueCache::filled(const Buffer<float, 4>& all) const noexcept {
  if (length_ == 0) return {};
  const auto view = all.view();
  return {view.data(), {view.size(0), view.size(1), length_, view.size(3)}, view.strides()};
}

}  // namespace tril
