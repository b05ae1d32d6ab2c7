// The parameters of a model that is run as a file, piece by piece: what a ParameterReader has read
// comes back with the same bits.
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

// The type in which a file has matrices of this kind: those of q8_0 as floats, which hold each of
// their numbers.
ElementType stored_type(WeightKind kind) noexcept;

// Borrows the parameters. The file is a model.safetensors by the names and in the shapes of the
// family. Matrices of 16 bits have the type that they have in memory; all else is float32: what is
// q8_0 by the numbers that it stands for, exactly.
class ParameterWriter {
 public:
  // Throws Error where the parameters have not been read.
  explicit ParameterWriter(const ModelParameters& parameters);

  // The bytes of the file.
  std::size_t size() const noexcept { return size_; }
  // All of them, a parameter or some rows of a transposed one at a time.
  void write(const WritePiece& write) const;

 private:
  std::vector<StoredParameter> parameters_;
  std::vector<Weight> rows_;        // one each; none of vectors
  std::vector<ElementType> types_;  // one each
  std::string header_;
  std::size_t size_ = 0;
};

}  // namespace tril
