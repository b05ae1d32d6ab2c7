// Writes the parameters of a model piece by piece. Parameters from a ParameterReader are written
// with the same bits.
//
//   const ParameterWriter writer(parameters);
//   write_file("model.safetensors", [&](const WritePiece& write) { writer.write(write); });
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/model_parameters.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tril {

// The type of matrices of this kind in a file; q8_0 becomes float32, which represents its numbers
// exactly.
ElementType stored_type(WeightKind kind) noexcept;

// Borrows the parameters. The file is a model.safetensors with the names and shapes of the family.
// Matrices of 16 bits keep their type; everything else is float32, also the exact numbers of q8_0.
class ParameterWriter {
 public:
  // Throws Error where the parameters have not been read.
  explicit ParameterWriter(const ModelParameters& parameters);

  // The size of the file in bytes.
  std::size_t size() const noexcept { return size_; }
  // Writes the file, a parameter or some rows of a transposed one at a time.
  void write(const WritePiece& write) const;

 private:
  std::vector<StoredParameter> parameters_;
  std::vector<Weight> rows_;        // one a parameter; no weight for vectors
  std::vector<ElementType> types_;  // one a parameter
  std::string header_;
  std::size_t size_ = 0;
};

}  // namespace tril
