// The parameters of a language model, and their names in the files of its family.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/weights.h>
#include <tril/model/model_config.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tril {

// One layer. Matrices are [out, in].
template <typename T>
struct BasicModelLayerWeights {
  BasicNormWeights<T> norm1 = {};           // of what attention is given, or of the sum with it
  BasicMultiHeadWeights<T> attention = {};  // queries, keys and values stacked
  BasicNormWeights<T> norm2 = {};           // of what feed-forward is given, or of that sum
  BasicLinearWeights<T> linear1 = {};       // [F, C]; gated [2 F, C], the gate above
  BasicLinearWeights<T> linear2 = {};       // [C, F]
  BasicNormWeights<T> branch_norm1 = {};    // of what attention adds
  BasicNormWeights<T> branch_norm2 = {};    // of what feed-forward adds

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

// All of them. What the settings leave out is a null view.
template <typename T>
struct BasicModelWeights {
  WeightMatrix<T> embedding = {};           // [V, C]
  WeightMatrix<T> positions = {};           // [context, C], where they are learned
  WeightMatrix<T> token_types = {};         // [token_types, C], where there are any
  BasicNormWeights<T> embedding_norm = {};  // of the sum of these, where it is normalised
  std::vector<BasicModelLayerWeights<T>> layers = {};  // L
  BasicNormWeights<T> final_norm = {};  // in front of the head, but for norms of sums
  WeightMatrix<T> head = {};            // [V, C], where it is not the embedding

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

// To be read: matrices of any kind (matmul/weight.h).
using ModelWeights = BasicModelWeights<const float>;

// The parameters laid out in `memory`, each on a cache line of its own: first all matrices, which
// weight decay is for, then all vectors. Throws Error as check_model_config does.
struct ModelLayout {
  BasicModelWeights<float> weights;  // where each lies
  Index decayed;                     // the floats before the first vector
};
// Lays them out in `memory`, or counts the floats.
ModelLayout model_layout(const ModelConfig& config, SavedMemory& memory);
// Their shapes, at places where there is nothing. Throws Error besides for a matrix that memory
// could not hold with 16 bits a number.
BasicModelWeights<float> model_shapes(const ModelConfig& config);

// Initialised as the authors do (Radford et al. 2019): matrices normal with deviation 0.02, biases
// 0, norms 1; of gpt2 those that write to the residual stream divided by sqrt(2 L) besides.
void initialise_model(const ModelConfig& config, const BasicModelWeights<float>& weights,
                      std::uint64_t seed);

// A parameter as the family's files have it: "h.0.attn.c_attn.weight",
// "model.layers.0.self_attn.q_proj.weight".
struct StoredParameter {
  std::string name;          // as above
  std::vector<Index> shape;  // in the file
  float* data;               // in the model's memory, without gaps
  // The file has the matrix as [in, out], and the memory as [out, in]: GPT-2's Conv1D.
  bool transposed;
  // Of the weights that it is listed for, the matrix whose rows it is; null for a vector.
  const MatrixView<float>* matrix = nullptr;
  // The file has [groups, first, second, ...] and the memory [groups, second, first, ...]:
  // GPT-NeoX's queries, keys and values, [heads, 3, ...]; pairs of a head that are neighbours in
  // GGUF files, [heads, D / 2, 2, ...].
  struct Order {
    Index groups = 1;  // that keep their places
    Index first = 1;   // the axis that is the outer one in the file
    Index second = 1;  // and the one that is so in memory

    // Whether memory has another order than the file.
    bool is_other() const noexcept { return first > 1 && second > 1; }
  };
  Order order = {};     // of its rows
  Index first_row = 0;  // of that matrix, where its rows begin
  float added = 0;      // to what the file has: 1 where a norm is by 1 + w, and the file has w

  // How many elements it has.
  Index count() const noexcept;
  // They as the file has them, to so many floats.
  void copy_to(float* out) const noexcept;
  // Elements [first, end) of the file, where it is not transposed.
  void copy_to(Index first, Index end, float* out) const noexcept;
  // And back.
  void copy_from(const float* elements) const noexcept;
  // An element of the file as memory has it: -0 stays where nothing is added.
  float in_memory(float element) const noexcept { return added == 0 ? element : element + added; }
  // Of elements [first, end) of the file, where it is not transposed: visit(of the file, of the
  // memory, count) for each run that follows each other in both.
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

// In the order of the forward pass. What is stacked in memory and apart in the files is apart here.
std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const BasicModelWeights<float>& weights,
                                               ParameterNames names = ParameterNames::of_family);
// The same of memory that is laid out as the parameters are: gradients, moments. Not to be written
// where it may not be. Nothing is added to these.
std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const VectorView<const float>& memory);

}  // namespace tril
