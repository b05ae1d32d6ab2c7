// The parameters of a model that is run, in one block of memory: floats, or matrices as their file
// has them, with 16 bits a number.
#pragma once

#include <tril/files/element_type.h>
#include <tril/foundation/memory.h>
#include <tril/matmul/narrow_matrix.h>
#include <tril/model/model_weights.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// Whether the parameters of a model have memory from the first.
enum class ParameterMemory {
  floats,       // for floats, all 0
  as_in_files,  // none, until a ParameterReader (pretrained.h) knows their types
};

// So many numbers of a type.
struct NumbersOfType {
  ElementType type;  // float32, float16 or bfloat16
  Index count;       // how many
};

// Owns them.
class ModelParameters {
 public:
  // Throws Error as check_model_config does, and, saying how much they take and how much there is,
  // where memory does not suffice: as they come from files, not even for 16 bits a number.
  explicit ModelParameters(const ModelConfig& config,
                           ParameterMemory memory = ParameterMemory::floats);

  // As it was given.
  const ModelConfig& config() const noexcept { return config_; }
  // Where each lies; good as long as this is. Throws Error where some have 16 bits: a
  // DecodingSession takes them as they are.
  const BasicModelWeights<float>& weights() const;
  // The same but that a matrix of 16-bit numbers is what stands in for it (matmul/narrow_matrix.h).
  const BasicModelWeights<float>& places() const noexcept { return weights_; }
  // These matrices.
  std::span<const NarrowMatrix> narrow() const noexcept { return narrow_; }
  // The type of the numbers of a parameter, one of stored_parameters(config(), places()).
  ElementType type_of(const StoredParameter& parameter) const noexcept;
  // How many numbers of which type: floats first, then 16 bits; what there is none of is left out.
  std::vector<NumbersOfType> types() const;
  // What they take; 0 as long as they have no memory.
  std::size_t bytes() const noexcept { return memory_.bytes(); }

 private:
  friend class ParameterReader;
  static ElementType type_of(const NarrowMatrix& matrix) noexcept;
  // Memory for matrices of these types, float16, bfloat16 or float32, in the order of
  // for_each_parameter, and for vectors of floats.
  void allocate(std::span<const ElementType> types);
  // The bytes that they take, which may be more than any integer counts, and, where there is
  // memory, each in its place.
  double lay_out(std::span<const ElementType> types, std::byte* memory);

  ModelConfig config_;
  AlignedMemory memory_;
  BasicModelWeights<float> weights_;
  std::vector<NarrowMatrix> narrow_;
};

}  // namespace tril
