#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tensor.h"

namespace tril::js {

EMSCRIPTEN_DECLARE_VAL_TYPE(Bytes)         // Uint8Array
EMSCRIPTEN_DECLARE_VAL_TYPE(StoredArrays)  // as bindings.cc declares it

// A copy, so that it outlives what it was made from and any growth of memory.
Bytes to_javascript(std::span<const std::byte> bytes);

// The arrays in the bytes of a file, "npy" or "safetensors", as float32: { name, type, shape,
// tensor } each. A single number becomes a tensor of shape [1]. Several arrays in a .npy file are
// named as numpy.savez does, arr_0 and so on.
StoredArrays read_file(Engine& engine, const std::string& kind, const Bytes& bytes);

// What a file that begins so is, and what to do instead; "" where that is not known.
std::string known_file(const Bytes& begin);

// The bytes of a file of that kind, of named tensors; of one for "npy". `type` is "float32",
// "float16" or, in "safetensors", "bfloat16".
Bytes write_file(const std::string& kind, const NamedTensors& tensors, const Names& names,
                 const std::string& type);

}  // namespace tril::js
