// The parameters of a model from the bytes of its files, piece by piece, each to its final place:
// nothing is in memory twice.
//
//   ParameterReader reader(parameters);
//   const std::vector<ParameterRange> ranges = reader.find(header);  // of every file
//   reader.allocate();
//   for (const ParameterRange& each : ranges) reader.read(each, bytes_of(each));
//   reader.finish();
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/model_parameters.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace tril {

// The bytes of a parameter in a file.
struct ParameterRange {
  const StoredParameter* parameter;  // which of the reader's it is
  StoredTensor tensor;               // as the header says
  std::size_t begin, size;           // its bytes in the file
};
// The former name.
using ParameterPlace [[deprecated("is ParameterRange now")]] = ParameterRange;

// Fills parameters from the files of a model. Parameters that have no memory yet get it once all of
// them have been found: a matrix whose tensors are all float16, or all bfloat16, keeps its type, or
// matrices become q8_0, as the parameters were made; all other numbers become floats. It takes the
// names of the family, with the prefix that some files have ("transformer.h.0..."), and passes over
// what is no parameter: GPT-2's masks, tables of rotary positions, and a head that is the
// embedding.
class ParameterReader {
 public:
  // What is best read of a file at once: large enough to be fast, little beside a model; of q8_0
  // the whole blocks in it.
  static constexpr std::size_t kPiece = std::size_t{1} << 23;

  // Fills `parameters`, which it borrows, and which must stay where they are, from files with these
  // names.
  explicit ParameterReader(ModelParameters& parameters,
                           ParameterNames names = ParameterNames::of_family);

  // A matrix of the parameters' layout() becomes floats, whatever the files have; before anything
  // is found.
  void hold_as_floats(const MatrixView<float>* matrix) { kinds_[matrix] = WeightKind::float32; }
  // The parameters among the tensors of a file's header. Throws Error, naming the tensor, where one
  // has another shape than the settings say, holds no floats, is none of the model's, or was found
  // before.
  std::vector<ParameterRange> find(std::span<const NamedTensor> tensors);
  std::vector<ParameterRange> find(const Safetensors& header) { return find(header.tensors); }
  // After the last header: takes memory, unless there is some. Throws Error, naming the first
  // parameter that was in no file, and where memory is not enough; nothing has been taken then.
  void allocate();
  // Writes bytes of the file to where they are wanted.
  using Fill = std::function<void(std::span<std::byte> out)>;
  // The next `size` bytes of one of them, of its byte `begin` on. `fill` writes them at once to
  // where they stay, if memory has them as the file does; else to working memory of that size, and
  // of at most as many elements more, from which they are converted. What becomes q8_0,
  // and is not so in the file, waits besides as floats: a row until it is whole, a transposed
  // matrix until all of it is there. The first call allocates, unless that was done. Throws Error
  // as allocate() does, where the bytes do not follow those before, reach beyond the parameter or
  // end within an element, and where q8_0 does not hold a number.
  void read(const ParameterRange& range, std::size_t begin, std::size_t size, const Fill& fill);
  // One of them from all its bytes.
  void read(const ParameterRange& range, std::span<const std::byte> bytes);
  // After the last file. Throws Error, naming the first tensor that was in none, or not all of
  // whose bytes came, and for factors of positions that are not Llama 3's or longrope's, which
  // become the settings' scaling. Working memory is free then.
  void finish();

 private:
  const StoredParameter* parameter_of(const NamedTensor& tensor);
  WeightKind kind_of(const StoredParameter& parameter, ElementType type) const noexcept;
  void quantise(const ParameterRange& range, std::size_t begin);
  void set_scaling();

  ModelParameters& model_;
  ParameterNames names_;
  std::vector<StoredParameter> parameters_;
  // Of GGUF files, by which positions are scaled: those of Llama 3, and of longrope's short and
  // long texts.
  struct Factors {
    const char* name;
    std::vector<float> values = {};
    StoredParameter stored = {};
  };
  std::array<Factors, 3> factors_ = {
      {{"rope_freqs.weight"}, {"rope_factors_short.weight"}, {"rope_factors_long.weight"}}};
  std::set<std::string_view> found_;                       // names of parameters_
  std::map<std::string_view, std::size_t> left_;           // bytes to come of those begun
  std::map<const MatrixView<float>*, WeightKind> kinds_;   // of matrices that were found
  std::vector<std::byte> bytes_;                           // to be converted
  std::map<std::string_view, std::vector<float>> floats_;  // to become q8_0
};

}  // namespace tril
