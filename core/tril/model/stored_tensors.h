// Parameters in a .safetensors file: what models in training and their checkpoints are written to
// and read from.
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/model_weights.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tril::detail {

// Tensors to be written, piece by piece: none is in memory twice.
class StoredTensors {
 public:
  explicit StoredTensors(ElementType type = ElementType::float32) : type_(type) {}

  // These, with `prefix` before their names.
  void add(const std::string& prefix, const std::vector<StoredParameter>& parameters);
  // The file, 16384 numbers or a row at a time.
  void write(const Metadata& metadata, const WritePiece& write) const;
  // The whole of it.
  std::vector<std::byte> bytes(const Metadata& metadata) const;

 private:
  ElementType type_;
  std::vector<StoredParameter> parameters_;
  std::vector<TensorToStore> tensors_;  // of those: names, shapes and sizes
};

// Throws Error in the name of `call`, naming the tensor, unless the file has all of them.
void check_stored(const char* call, const Safetensors& file, const std::string& prefix,
                  const std::vector<StoredParameter>& parameters);
// Sets them from a file that has been checked.
void read_stored(const Safetensors& file, const std::string& prefix,
                 const std::vector<StoredParameter>& parameters);

}  // namespace tril::detail
