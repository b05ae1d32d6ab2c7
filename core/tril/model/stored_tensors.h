// Parameters in .safetensors files, which hold models in training and their checkpoints.
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/model_weights.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tril::detail {

// Writes tensors piece by piece; none is in memory twice.
class StoredTensors {
 public:
  explicit StoredTensors(ElementType type = ElementType::float32) : type_(type) {}

  // Adds parameters with `prefix` before their names.
  template <typename T>
  void add(const std::string& prefix, const std::vector<BasicStoredParameter<T>>& parameters) {
    for (const BasicStoredParameter<T>& each : parameters) add(prefix + each.name, each);
  }
  // Writes the file, 16384 numbers or a row at a time.
  void write(const Metadata& metadata, const WritePiece& write) const;
  // The bytes of the file.
  std::vector<std::byte> bytes(const Metadata& metadata) const;

 private:
  void add(const std::string& name, const BasicStoredParameter<const float>& parameter);

  ElementType type_;
  std::vector<BasicStoredParameter<const float>> parameters_;
  std::vector<TensorToStore> tensors_;  // their names, shapes and sizes
};

// Throws Error in the name of `call`, naming the tensor, unless the file has all parameters.
void check_stored(const char* call, const Safetensors& file, const std::string& prefix,
                  const std::vector<StoredParameter>& parameters);
// Sets the parameters from a file that has been checked.
void read_stored(const Safetensors& file, const std::string& prefix,
                 const std::vector<StoredParameter>& parameters);

}  // namespace tril::detail
