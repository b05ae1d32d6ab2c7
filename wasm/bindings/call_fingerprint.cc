#include "call_fingerprint.h"

#include <algorithm>
#include <cstdint>

namespace tril::js {

// FNV-1a (Fowler, Noll, Vo), folded to the 24 bits that a float holds.
void CallFingerprint::add_bytes(const char* name, const void* bytes, std::size_t size) {
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<const std::uint8_t*>(bytes)[i]) * 16777619u;
  }
  numbers_.emplace_back(name, static_cast<float>((hash ^ hash >> 24) & 0xffffffu));
}

void CallFingerprint::add_object(const char* name, const emscripten::val& object) {
  add_text(name, emscripten::val::global("JSON").call<std::string>("stringify", object));
}

void CallFingerprint::write(float* to) const {
  for (const auto& [name, number] : numbers_) *to++ = number;
}

const char* CallFingerprint::other_than(const float* from) const {
  for (const auto& [name, number] : numbers_) {
    if (*from++ != number) return name;
  }
  return nullptr;
}

}  // namespace tril::js
