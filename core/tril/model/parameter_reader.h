// Reads the parameters of a model from the bytes of its files, piece by piece, directly into their
// memory: nothing is in memory twice.
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
  const StoredParameter* parameter;  // the parameter
  StoredTensor tensor;               // its type and shape in the header
  std::size_t begin, size;           // its bytes in the file
};
// The former name.
using ParameterPlace [[deprecated("is ParameterRange now")]] = ParameterRange;

// Fills parameters from the files of a model. Parameters without memory get it once all of them
// have been found. A matrix whose tensors are all float16, or all bfloat16, keeps its type, or
// matrices become q8_0, according to the ParameterMemory; all other numbers become floats. The
// reader knows the names of the family, with the prefix of some files ("transformer.h.0..."), and
// skips tensors that are not parameters: GPT-2's masks, tables of rotary positions, and a head that
// is the embedding.
class ParameterReader {
 public:
  // The best number of bytes to read at once: large enough to be fast, small beside a model. For
  // q8_0, read the whole blocks in it.
  static constexpr std::size_t kPiece = std::size_t{1} << 23;

  // Borrows `parameters`, which must not move, and fills them from files with these names.
  explicit ParameterReader(ModelParameters& parameters,
                           ParameterNames names = ParameterNames::of_family);

  // Makes the matrix of a parameter floats, whatever type the files have. Call it before find().
  void hold_as_floats(const StoredParameter& parameter) { keep(parameter, WeightKind::float32); }
  // Finds the parameters among the tensors of a file's header. Throws Error, naming the tensor,
  // where one has another shape than in the settings, is not of floats, is not the model's, or was
  // found before.
  std::vector<ParameterRange> find(std::span<const NamedTensor> tensors);
  std::vector<ParameterRange> find(const Safetensors& header) { return find(header.tensors); }
  // Allocates the memory, unless there is some; call it after the last header. Throws Error for the
  // first parameter that is in no file, and where there is not enough memory; then nothing is
  // allocated.
  void allocate();
  // Writes bytes of the file to `out`.
  using Fill = std::function<void(std::span<std::byte> out)>;
  // Reads the next `size` bytes of a parameter, from its byte `begin` on. `fill` writes them
  // directly into the parameter's memory where that has the file's layout. Otherwise it writes to
  // working memory of that size, with room for at most as many more elements, from which they are
  // converted. Numbers that are converted to q8_0 are kept as floats until a row, or a transposed
  // matrix, is complete. The first call allocates, unless that was done. Throws Error as allocate()
  // does, where the bytes do not follow the last ones, reach past the parameter or end within an
  // element, and where q8_0 cannot represent a number.
  void read(const ParameterRange& range, std::size_t begin, std::size_t size, const Fill& fill);
  // Reads a parameter from all its bytes.
  void read(const ParameterRange& range, std::span<const std::byte> bytes);
  // Ends reading, after the last file, and frees the working memory. Factors of rotary positions
  // become the scaling of the settings. Throws Error for the first tensor that is missing or
  // incomplete, and for factors that are not Llama 3's or longrope's.
  void finish();

 private:
  const StoredParameter* parameter_of(const NamedTensor& tensor);
  // Keeps the matrix of a parameter as this kind, or as floats where another part of it has a
  // different kind.
  void keep(const StoredParameter& parameter, WeightKind kind);
  WeightKind kind_of(const StoredParameter& parameter, ElementType type) const noexcept;
  void quantise(const ParameterRange& range, std::size_t begin);
  void set_scaling();

  ModelParameters& model_;
  ParameterNames names_;
  std::vector<StoredParameter> parameters_;
  // The factors of rotary positions in GGUF files: Llama 3's, and longrope's for short and long
  // texts.
  struct Factors {
    const char* name;
    std::vector<float> values = {};
    StoredParameter stored = {};
  };
  std::array<Factors, 3> factors_ = {
      {{"rope_freqs.weight"}, {"rope_factors_short.weight"}, {"rope_factors_long.weight"}}};
  std::set<std::string_view> found_;                       // names of parameters_
  std::map<std::string_view, std::size_t> left_;           // missing bytes of those begun
  std::map<Index, WeightKind> kinds_;                      // of the matrices found, by number
  std::vector<std::byte> bytes_;                           // working memory
  std::map<std::string_view, std::vector<float>> floats_;  // waiting to become q8_0
};

}  // namespace tril
