// The parameters of a model that is run, in one block of memory: vectors of floats, and matrices of
// floats, as their file has them with 16 bits a number, or as q8_0.
#pragma once

#include <tril/foundation/memory.h>
#include <tril/matmul/weight.h>
#include <tril/model/model_weights.h>

#include <cstddef>
#include <span>
#include <vector>

namespace tril {

// How the parameters of a model are held, and whether they have memory from the first.
enum class ParameterMemory {
  floats,       // as floats, all 0
  as_in_files,  // none, until a ParameterReader (parameter_reader.h) knows their types
  q8_0          // the same, and matrices become q8_0 (matmul/q8_0.h), but for positions
};

// So many numbers of a kind.
struct NumbersOfType {
  WeightKind type;  // of these numbers
  Index count;      // how many
};

// Owns them.
class ModelParameters {
 public:
  // Throws Error as check_model_config does, and, saying how much they take and how much there is,
  // where memory is not enough: as they come from files, not even for 16 bits a number.
  explicit ModelParameters(const ModelConfig& config,
                           ParameterMemory memory = ParameterMemory::floats);

  // As it was given.
  const ModelConfig& config() const noexcept { return config_; }
  // As it was given.
  ParameterMemory memory() const noexcept { return kept_; }
  // Where each lies, whatever kind it is of; good as long as this is. None as long as they have no
  // memory.
  const ModelWeights& weights() const noexcept { return weights_; }
  // The same, to be written. Throws Error where they are not all floats.
  const BasicModelWeights<float>& floats() const;
  // Their shapes, and where those of floats lie: of a matrix of another kind nothing may be read.
  const BasicModelWeights<float>& layout() const noexcept { return layout_; }
  // The former name.
  [[deprecated("is layout() now")]] const BasicModelWeights<float>& places() const noexcept {
    return layout_;
  }
  // The rows of a matrix that a parameter is, one of stored_parameters(config(), layout()); none of
  // a vector.
  Weight rows_of(const StoredParameter& parameter) const noexcept;
  // How many numbers of which kind, in the order of kWeightKinds; what there is none of is left
  // out.
  std::vector<NumbersOfType> types() const;
  // What they take; 0 as long as they have no memory.
  std::size_t bytes() const noexcept { return memory_.bytes(); }

 private:
  friend class ParameterReader;
  // Memory for matrices of these kinds, in the order of for_each_parameter, and for vectors of
  // floats.
  void allocate(std::span<const WeightKind> kinds);
  // The bytes that they take, which may be more than any integer counts, and, where there is
  // memory, each in its place.
  double lay_out(std::span<const WeightKind> kinds, std::byte* memory);
  // Where the rows of a parameter are written to.
  std::byte* memory_of(const StoredParameter& parameter) noexcept;

  ModelConfig config_;
  ParameterMemory kept_;
  AlignedMemory memory_;
  BasicModelWeights<float> layout_;
  ModelWeights weights_;
};

}  // namespace tril
