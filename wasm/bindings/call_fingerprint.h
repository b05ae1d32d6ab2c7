// A number for each shape and option of a forward pass. A backward pass that is given what a
// forward pass has saved compares these to tell whether that pass was its own. Elements of tensors
// do not count.
#pragma once

#include <emscripten/val.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tril::js {

class CallFingerprint {
 public:
  // `name` is JavaScript's, and outlives this; a value is known by its bytes.
  template <typename T>
  void add(const char* name, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(name, &value, sizeof value);
  }
  void add_text(const char* name, const std::string& text) {
    add_bytes(name, text.data(), text.size());
  }
  // By its JSON: the numbers of a mask or of a list, and of a dense mask that it is one.
  void add_object(const char* name, const emscripten::val& object);

  std::size_t count() const noexcept { return numbers_.size(); }
  // To `count` floats, and what of those that were written so was another: null if nothing.
  void write(float* to) const;
  const char* other_than(const float* from) const;

 private:
  void add_bytes(const char* name, const void* bytes, std::size_t size);

  std::vector<std::pair<const char*, float>> numbers_;
};

}  // namespace tril::js
