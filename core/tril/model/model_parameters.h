// The parameters of a model to run, in one block of memory: vectors of floats, and matrices of
// floats, of 16 bits per number as in their file, or of q8_0.
#pragma once

#include <tril/foundation/memory.h>
#include <tril/matmul/weight.h>
#include <tril/model/model_weights.h>

#include <cstddef>
#include <span>
#include <vector>

namespace tril {

// The types of the parameters in memory, and when their memory is allocated.
enum class ParameterMemory {
  floats,       // floats, allocated at once and all 0
  as_in_files,  // allocated when a ParameterReader (parameter_reader.h) knows their types
  q8_0          // the same, and matrices but positions become q8_0 (matmul/q8_0.h)
};

// The number of elements of a kind.
struct NumbersOfType {
  WeightKind type;  // their kind
  Index count;      // their number
};

// Owns the parameters.
class ModelParameters {
 public:
  // Throws Error as check_model_config does, and where there is not enough memory, saying how much
  // is needed and how much there is. Parameters with the types of their files are counted with 16
  // bits per number.
  explicit ModelParameters(const ModelConfig& config,
                           ParameterMemory memory = ParameterMemory::floats);

  // The given settings.
  const ModelConfig& config() const noexcept { return config_; }
  // The given memory.
  ParameterMemory memory() const noexcept { return kept_; }
  // Views of the parameters, of any kind; valid as long as this object. No views before memory is
  // allocated.
  const ModelWeights& weights() const noexcept { return weights_; }
  // The same for writing. Throws Error unless all of them are floats.
  const BasicModelWeights<float>& floats() const;
  // Their shapes, and the addresses of floats; elements of a matrix of another kind must not be
  // read.
  const BasicModelWeights<float>& layout() const noexcept { return layout_; }
  // The former name.
  [[deprecated("is layout() now")]] const BasicModelWeights<float>& places() const noexcept {
    return layout_;
  }
  // The rows of the matrix that hold a parameter of stored_parameters(config(), layout()); no
  // weight for a vector.
  Weight rows_of(const StoredParameter& parameter) const noexcept;
  // The number of elements of each kind that occurs, in the order of kWeightKinds.
  std::vector<NumbersOfType> types() const;
  // The bytes of the parameters; 0 before memory is allocated.
  std::size_t bytes() const noexcept { return memory_.bytes(); }

 private:
  friend class ParameterReader;
  // Allocates memory for matrices of these kinds, in the order of for_each_parameter, and for
  // vectors of floats.
  void allocate(std::span<const WeightKind> kinds);
  // Returns the bytes that they take, which may exceed every integer; sets the views where `memory`
  // is not null.
  double lay_out(std::span<const WeightKind> kinds, std::byte* memory);
  // The address of the rows of a parameter.
  std::byte* memory_of(const StoredParameter& parameter) noexcept;

  ModelConfig config_;
  ParameterMemory kept_;
  AlignedMemory memory_;
  BasicModelWeights<float> layout_;
  ModelWeights weights_;
};

}  // namespace tril
