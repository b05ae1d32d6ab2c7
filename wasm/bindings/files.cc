#include <emscripten/bind.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/npy.h>
#include <tril/files/safetensors.h>

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "guard.h"
#include "tensor.h"

namespace tril::js {

namespace {

EMSCRIPTEN_DECLARE_VAL_TYPE(StoredArrays)

using emscripten::val;

constexpr const char* kRead = "read_arrays";

val as_object(Engine& engine, const std::string& name, const StoredTensor& stored) {
  DynamicShape shape = stored.shape;
  if (shape.empty()) shape.push_back(1);
  TensorHandle tensor = std::make_shared<Tensor>(engine, std::move(shape), kRead);
  read_elements(stored,
                std::span<float>(tensor->data(), static_cast<std::size_t>(tensor->count())));
  val object = val::object();
  object.set("name", name);
  object.set("type", std::string(element_name(stored.type)));
  object.set("shape", val::array(stored.shape));
  object.set("tensor", tensor);
  return object;
}

// The arrays in the bytes of a file, "npy" or "safetensors", as float32: { name, type, shape,
// tensor } for each, and after them { name, problem } for each array of an unsupported type. A
// single number becomes a tensor of shape [1]. Several arrays in a .npy file are named arr_0 and so
// on, as numpy.savez does.
StoredArrays read_file(Engine& engine, const std::string& kind, const Bytes& bytes) {
  const std::string file = text_of(bytes);
  const auto span = std::as_bytes(std::span(file));
  val arrays = val::array();
  if (kind == "npy") {
    const std::vector<StoredTensor> stored = parse_npy_arrays(span);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const std::string name = stored.size() == 1 ? "" : "arr_" + std::to_string(i);
      arrays.call<void>("push", as_object(engine, name, stored[i]));
    }
  } else {
    std::vector<UnreadTensor> unread;
    for (const NamedTensor& each : parse_safetensors(span, &unread).tensors) {
      arrays.call<void>("push", as_object(engine, each.name, each.tensor));
    }
    for (const UnreadTensor& each : unread) {
      val object = val::object();
      object.set("name", each.name);
      object.set("problem", each.problem);
      arrays.call<void>("push", object);
    }
  }
  return StoredArrays(arrays);
}

// The kind of a file with this beginning, with advice; "" where it is not recognised.
std::string known_file(const Bytes& begin) {
  return std::string(detail::known_file(text_of(begin)));
}

// The bytes of a file of that kind with the named tensors; "npy" has one. `type` is "float32",
// "float16" or, in "safetensors", "bfloat16".
Bytes write_file(const std::string& kind, const NamedTensors& tensors, const Names& names,
                 const std::string& type) {
  // TypeScript has checked that it is one of these.
  const ElementType written = type == element_name(ElementType::float16)    ? ElementType::float16
                              : type == element_name(ElementType::bfloat16) ? ElementType::bfloat16
                                                                            : ElementType::float32;
  std::vector<TensorToStore> stored;
  // Reads names by index: as a key, a name would be taken for Latin-1, and end at its first 0.
  for (const auto& name : emscripten::vecFromJSArray<std::string>(names)) {
    const auto number = static_cast<unsigned>(stored.size());
    const Tensor& tensor = *tensors[number].as<Tensor*>(emscripten::allow_raw_pointers());
    stored.push_back({.name = name,
                      .shape = tensor.shape(),
                      .elements = {tensor.data(), static_cast<std::size_t>(tensor.count())},
                      .type = written});
  }
  if (kind == "npy") return to_javascript(npy_bytes(stored[0].shape, stored[0].elements, written));
  return to_javascript(safetensors_bytes(stored));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_files) {
  using namespace emscripten;
  register_type<StoredArrays>(
      "({ name: string; type: string; shape: number[]; tensor: _Tensor } | { name: string; "
      "problem: "
      "string })[]");
  function("_readFile", guard<&read_file>);
  function("_knownFile", guard<&known_file>);
  function("_writeFile", guard<&write_file>);
}

}  // namespace tril::js
