// The parameters of a language model, and their names in the files of its family.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/weights.h>
#include <tril/model/model_config.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tril {

// The parameters of a layer. Matrices are [out, in].
template <typename T>
struct BasicModelLayerWeights {
  BasicNormWeights<T> norm1 = {};           // of attention's input, or of the sum with its output
  BasicMultiHeadWeights<T> attention = {};  // queries, keys and values stacked
  BasicNormWeights<T> norm2 = {};           // of the feed-forward's input, or of that sum
  BasicLinearWeights<T> linear1 = {};       // [F, C]; gated [2 F, C], the gate above
  BasicLinearWeights<T> linear2 = {};       // [C, F]
  BasicNormWeights<T> branch_norm1 = {};    // of attention's output
  BasicNormWeights<T> branch_norm2 = {};    // of the feed-forward's output

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("norm1", each.norm1...);
    visit("attention", each.attention...);
    visit("norm2", each.norm2...);
    visit("linear1", each.linear1...);
    visit("linear2", each.linear2...);
    visit("branch_norm1", each.branch_norm1...);
    visit("branch_norm2", each.branch_norm2...);
  }
};

// The parameters of a model. Parameters that its settings exclude are null views.
template <typename T>
struct BasicModelWeights {
  WeightMatrix<T> embedding = {};           // [V, C]
  WeightMatrix<T> positions = {};           // [context, C], where positions are learned
  WeightMatrix<T> token_types = {};         // [token_types, C], where there are any
  BasicNormWeights<T> embedding_norm = {};  // of the sum of these three, where it is normalised
  std::vector<BasicModelLayerWeights<T>> layers = {};  // L
  BasicNormWeights<T> final_norm = {};  // before the head, unless sums are normalised
  WeightMatrix<T> head = {};            // [V, C], unless it is the embedding

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("embedding", each.embedding...);
    visit("positions", each.positions...);
    visit("token_types", each.token_types...);
    visit("embedding_norm", each.embedding_norm...);
    visit("layers", each.layers...);
    visit("final_norm", each.final_norm...);
    visit("head", each.head...);
  }
};

// Weights that are only read, with matrices of any kind (matmul/weight.h).
using ModelWeights = BasicModelWeights<const float>;

// Calls visit(number, matrix, matrix, ...) for the matrices of several structs of one form that the
// first one has, numbered in the order of for_each_parameter.
template <typename Visit, typename First, typename... Rest>
void zip_matrices(const Visit& visit, First& first, Rest&... rest) {
  Index number = 0;
  zip_parameters(
      [&](const ParameterName&, auto& view, auto&... others) {
        if constexpr (std::is_convertible_v<decltype(view), MatrixView<const float>>) {
          if (view) visit(number++, view, others...);
        }
      },
      first, rest...);
}

// A layout of the parameters, each on its own cache line: first all matrices, to which weight decay
// applies, then all vectors.
struct ModelLayout {
  BasicModelWeights<float> weights;  // a view of each parameter
  Index decayed;                     // number of floats before the first vector
};
// Lays the parameters out in `memory`, or counts the floats. Throws Error as check_model_config
// does.
ModelLayout model_layout(const ModelConfig& config, SavedMemory& memory);
// The shapes of the parameters, as views that must not be read. Throws Error also for a matrix too
// large to address with 16 bits per number.
BasicModelWeights<float> model_shapes(const ModelConfig& config);

// Initialises as GPT-2's authors do (Radford et al. 2019): matrices normal with deviation 0.02,
// biases 0, norms 1. In the family gpt2, matrices that write to the residual stream are also
// divided by sqrt(2 L).
void initialise_model(const ModelConfig& config, const BasicModelWeights<float>& weights,
                      std::uint64_t seed);

namespace detail {

// Columns [first, first + count) of a matrix [rows, cols] as rows: to[n, m] = from[m, first + n].
template <typename T>
void transpose_columns(const T* from, Index rows, Index cols, Index first, Index count,
                       T* to) noexcept {
  for (Index m = 0; m < rows; ++m) {
    for (Index n = 0; n < count; ++n) to[n * rows + m] = from[m * cols + first + n];
  }
}

}  // namespace detail

// A different order of rows: [groups, first, second, ...] in a file, [groups, second, first, ...]
// in memory. GPT-NeoX has queries, keys and values as [heads, 3, ...]; GGUF files have the pairs of
// a head as neighbours, [heads, D / 2, 2, ...].
struct RowOrder {
  Index groups = 1;  // groups, whose order is the same
  Index first = 1;   // size of the axis that is outer in the file
  Index second = 1;  // size of the axis that is outer in memory

  // Whether the order differs.
  bool is_other() const noexcept { return first > 1 && second > 1; }
};

// A parameter in the form of the family's files: "h.0.attn.c_attn.weight",
// "model.layers.0.self_attn.q_proj.weight". T is float where files are read into memory, const
// float where memory is written to files.
template <typename T>
struct BasicStoredParameter {
  std::string name;          // as above
  std::vector<Index> shape;  // in the file
  T* data;                   // in the model's memory, without gaps
  // Whether the file has the matrix as [in, out], which is [out, in] in memory: GPT-2's Conv1D.
  bool transposed;
  // The number of the matrix whose rows it is (zip_matrices); none for a vector.
  std::optional<Index> matrix = {};
  RowOrder order = {};  // the order of its rows
  Index first_row = 0;  // its first row in that matrix
  float added = 0;      // added to the elements of the file: 1 for norms that multiply by 1 + w

  // The number of elements.
  Index count() const noexcept;
  // Copies count() floats to `out` in the file's layout.
  void copy_to(float* out) const noexcept;
  // Copies rows [first, first + count) of the file's layout, or elements of a vector.
  void copy_rows(Index first, Index count, float* out) const noexcept;
  // Copies count() floats from the file's layout to memory.
  void copy_from(const float* elements) const noexcept requires(!std::is_const_v<T>);
  // Converts an element of the file to its value in memory; -0 stays -0 where nothing is added.
  float in_memory(float element) const noexcept { return added == 0 ? element : element + added; }
  // The same parameter in other memory.
  template <typename U>
  BasicStoredParameter<U> in(U* memory) const {
    return {name, shape, memory, transposed, matrix, order, first_row, added};
  }
  // The same parameter, for reading.
  operator BasicStoredParameter<const float>() const requires(!std::is_const_v<T>) {
    return in<const float>(data);
  }
  // Calls visit(index in the file, index in memory, count) for each run of elements [first, end) of
  // the file that is contiguous in both, unless it is transposed.
  template <typename Visit>
  void for_each_run(Index first, Index end, const Visit& visit) const {
    const Index all = order.first * order.second, most = count() / (order.groups * all);
    for (Index at = first; at < end;) {
      const Index run = at / most, n = run % all, size = std::min(end - at, most - at % most);
      const Index other = n % order.second * order.first + n / order.second;
      visit(at, (run - n + other) * most + at % most, size);
      at += size;
    }
  }
};

// A parameter in memory that files are read into.
using StoredParameter = BasicStoredParameter<float>;

// The parameters in the order of the forward pass. Matrices that are stacked in memory but separate
// in the files are separate here.
std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const BasicModelWeights<float>& weights,
                                               ParameterNames names = ParameterNames::of_family);

// Parameters of a list, in the block that begins at `values`, moved to a block of the same layout
// that begins at `memory`: gradients or moments, to which nothing is added.
template <typename T>
std::vector<BasicStoredParameter<T>> stored_parameters_in(T* memory,
                                                          const std::vector<StoredParameter>& list,
                                                          const float* values) {
  std::vector<BasicStoredParameter<T>> moved;
  for (const StoredParameter& each : list) {
    moved.push_back(each.in(memory + (each.data - values)));
    moved.back().added = 0;
  }
  return moved;
}

}  // namespace tril
