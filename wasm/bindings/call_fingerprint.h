// A number for each shape and option of a forward pass. A backward pass compares these with its own
// to tell whether saved results are from its forward pass. Elements of tensors do not count.
#pragma once

#include <emscripten/val.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tril::js {

class CallFingerprint {
 public:
  // `name` is JavaScript's and must outlive this object; the bytes of the value are hashed.
  template <typename T>
  void add(const char* name, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(name, &value, sizeof value);
  }
  void add_text(const char* name, const std::string& text) {
    add_bytes(name, text.data(), text.size());
  }
  // Adds an object, such as a mask or a list, by its JSON; of a dense mask only its kind.
  void add_object(const char* name, const emscripten::val& object);

  std::size_t count() const noexcept { return numbers_.size(); }
  // Writes count() floats; other_than gives the name of the first one that differs, or null.
  void write(float* to) const;
  const char* other_than(const float* from) const;

 private:
  void add_bytes(const char* name, const void* bytes, std::size_t size);

  std::vector<std::pair<const char*, float>> numbers_;
};

}  // namespace tril::js
