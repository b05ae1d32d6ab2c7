#include <tril/foundation/random.h>
#include <tril/model/model_family.h>
#include <tril/model/model_weights.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tril {

namespace {

// Gives views that have a shape and no memory.
struct NoMemory {
  template <typename... Sizes>
  TensorView<float, sizeof...(Sizes)> take(Sizes... sizes) const {
    constexpr int kRank = sizeof...(Sizes);
    static float nothing = 0;
    const Shape<kRank> shape = {sizes...};
    checked_count(shape.data(), kRank, sizeof(std::uint16_t), "model_shapes", "shape");
    Shape<kRank> strides{};
    strides[kRank - 1] = 1;
    return {&nothing, shape, strides};
  }
  Index count() const noexcept { return 0; }
};

template <typename Memory>
ModelLayout lay_out(const ModelConfig& config, Memory& memory) {
  check_model_config(config, "model_layout");
  const Index C = config.width, F = config.hidden_width(), V = config.vocabulary;
  const Index E = config.query_width(), Ek = config.key_width();
  const Index inner = config.inner_width();
  ModelLayout layout;
  BasicModelWeights<float>& weights = layout.weights;
  weights.embedding = memory.take(V, C);
  if (config.positions == ModelPositions::learned)
    weights.positions = memory.take(config.context, C);
  if (config.token_types > 0) weights.token_types = memory.take(config.token_types, C);
  weights.layers.resize(static_cast<std::size_t>(config.layers));
  for (BasicModelLayerWeights<float>& layer : weights.layers) {
    layer.attention.in_proj_weight = memory.take(E + 2 * Ek, C);
    layer.attention.out_proj_weight = memory.take(C, E);
    layer.linear1.weight = memory.take(inner, C);
    layer.linear2.weight = memory.take(C, F);
  }
  if (config.has_head && !config.tied_head) weights.head = memory.take(V, C);
  layout.decayed = memory.count();

  const auto norm = [&](BasicNormWeights<float>& each) {
    if (config.norm == ModelNorm::none) return;
    each.weight = memory.take(C);
    if (config.has_norm_biases()) each.bias = memory.take(C);
  };
  if (config.embedding_norm) norm(weights.embedding_norm);
  for (BasicModelLayerWeights<float>& layer : weights.layers) {
    if (config.norms_inputs() || config.norms_sums()) norm(layer.norm1), norm(layer.norm2);
    if (config.norms_outputs()) norm(layer.branch_norm1), norm(layer.branch_norm2);
    if (config.query_key_norm) {
      const bool joint = config.joint_heads_norm;
      layer.attention.q_norm = memory.take(joint ? E : config.head_width());
      layer.attention.k_norm = memory.take(joint ? Ek : config.head_width());
    }
    if (config.has_projection_biases()) layer.attention.in_proj_bias = memory.take(E + 2 * Ek);
    if (config.has_output_bias()) layer.attention.out_proj_bias = memory.take(C);
    if (!config.has_feed_forward_biases()) continue;
    layer.linear1.bias = memory.take(inner);
    layer.linear2.bias = memory.take(C);
  }
  if (!config.norms_sums()) norm(weights.final_norm);
  return layout;
}

}  // namespace

ModelLayout model_layout(const ModelConfig& config, SavedMemory& memory) {
  return lay_out(config, memory);
}

BasicModelWeights<float> model_shapes(const ModelConfig& config) {
  NoMemory memory;
  return lay_out(config, memory).weights;
}

void initialise_model(const ModelConfig& config, const BasicModelWeights<float>& weights,
                      std::uint64_t seed) {
  constexpr float kDeviation = 0.02f;
  const float to_residual = config.family == ModelFamily::gpt2
                                ? 1 / std::sqrt(2 * static_cast<float>(config.layers))
                                : 1.0f;
  Random random(seed);
  const auto draw = [&](const MatrixView<float>& matrix, float deviation) {
    if (!matrix) return;
    for (Index i = 0; i < matrix.count(); ++i) matrix.data()[i] = deviation * random.normal();
  };
  const auto fill = [](const VectorView<float>& vector, float value) {
    if (vector) std::fill_n(vector.data(), vector.size(0), value);
  };
  const auto norm = [&](const BasicNormWeights<float>& each) {
    fill(each.weight, 1);
    fill(each.bias, 0);
  };
  draw(weights.embedding, kDeviation);
  draw(weights.positions, kDeviation);
  for (const BasicModelLayerWeights<float>& layer : weights.layers) {
    norm(layer.norm1);
    draw(layer.attention.in_proj_weight, kDeviation);
    draw(layer.attention.out_proj_weight, kDeviation * to_residual);
    fill(layer.attention.q_norm, 1);
    fill(layer.attention.k_norm, 1);
    for (const auto* each : {&layer.norm2, &layer.branch_norm1, &layer.branch_norm2}) norm(*each);
    draw(layer.linear1.weight, kDeviation);
    draw(layer.linear2.weight, kDeviation * to_residual);
    for (const VectorView<float>& bias :
         {layer.attention.in_proj_bias, layer.attention.out_proj_bias, layer.linear1.bias,
          layer.linear2.bias}) {
      fill(bias, 0);
    }
  }
  norm(weights.final_norm);
  draw(weights.head, kDeviation);
}

namespace {

// The list of parameters being built, with matrices in the order of for_each_parameter.
class Names {
 public:
  std::string prefix;
  bool transposed = false;
  RowOrder order = {};
  float added_to_norms = 0;

  void matrix(const std::string& name, const MatrixView<float>& view) {
    if (view) rows(name, view, 0, view.size(0));
  }
  void vector(const std::string& name, const VectorView<float>& view) {
    if (view) list_.push_back({prefix + name, {view.size(0)}, view.data(), false, {}, order});
  }
  void linear(const std::string& name, const MatrixView<float>& weight,
              const VectorView<float>& bias) {
    matrix(name + ".weight", weight);
    vector(name + ".bias", bias);
  }
  void norm(const std::string& name, const VectorView<float>& weight) {
    vector(name + ".weight", weight);
    if (weight) list_.back().added = added_to_norms;
  }
  void norm(const std::string& name, const BasicNormWeights<float>& norm) {
    this->norm(name, norm.weight);
    vector(name + ".bias", norm.bias);
  }
  // Adds rows [first, first + count) of stacked parameters.
  void rows(const std::string& name, const MatrixView<float>& weight, const VectorView<float>& bias,
            Index first, Index count) {
    if (weight) rows(name + ".weight", weight, first, count);
    if (bias) vector(name + ".bias", VectorView<float>(bias.data() + first, {count}));
  }
  std::vector<StoredParameter> take() { return std::move(list_); }

 private:
  void rows(const std::string& name, const MatrixView<float>& matrix, Index first, Index count) {
    std::vector<Index> shape = {count, matrix.size(1)};
    if (transposed) std::swap(shape[0], shape[1]);
    if (first == 0) ++matrices_;
    list_.push_back({prefix + name, std::move(shape), matrix[first].data(), transposed,
                     matrices_ - 1, order, first});
  }

  Index matrices_ = 0;  // the number of matrices in the list
  std::vector<StoredParameter> list_;
};

void name_layer(Names& names, const ModelConfig& config, const detail::FamilyEntry& entry,
                const BasicModelLayerWeights<float>& layer) {
  const auto& attention = layer.attention;
  const Index E = config.query_width(), Ek = config.key_width(), F = config.hidden_width();
  const std::string at = entry.attention;
  names.norm(entry.norm1, layer.norm1);
  const auto part = [&](const char* name, Index first, Index count) {
    names.rows(at + name, attention.in_proj_weight, attention.in_proj_bias, first, count);
  };
  if (entry.projections == detail::StoredProjections::apart) {
    const Index D = config.head_width();
    if (entry.is_interleaved) names.order = {config.heads, D / 2, 2};
    part(entry.query, 0, E);
    if (entry.is_interleaved) names.order = {config.kv_head_count(), D / 2, 2};
    part(entry.key, E, Ek);
    names.order = {};
    part(entry.value, E + Ek, Ek);
  } else {
    const bool by_head = entry.projections == detail::StoredProjections::by_head && E == Ek;
    if (by_head) names.order = {1, config.heads, 3};
    names.linear(at + entry.query_key_value, attention.in_proj_weight, attention.in_proj_bias);
    names.order = {};
  }
  names.linear(at + entry.attention_out, attention.out_proj_weight, attention.out_proj_bias);
  names.norm(at + entry.query_norm, attention.q_norm);
  names.norm(at + entry.key_norm, attention.k_norm);
  names.norm(entry.branch_norm1, layer.branch_norm1);
  names.norm(entry.norm2, layer.norm2);
  const auto& [up, up_bias] = layer.linear1;
  if (config.is_gated() && entry.gate) {
    names.rows(entry.gate, up, up_bias, 0, F);
    names.rows(entry.up, up, up_bias, F, F);
  } else {
    names.linear(entry.up, up, up_bias);
  }
  names.linear(entry.down, layer.linear2.weight, layer.linear2.bias);
  names.norm(entry.branch_norm2, layer.branch_norm2);
}

}  // namespace

std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const BasicModelWeights<float>& weights,
                                               ParameterNames given) {
  const detail::FamilyEntry entry = detail::entry_of(config.family, given);
  Names names;
  names.added_to_norms = entry.added_to_norms;
  names.matrix(entry.embedding, weights.embedding);
  names.matrix(entry.positions, weights.positions);
  if (weights.token_types) names.matrix(entry.token_type_embedding, weights.token_types);
  if (weights.embedding_norm.weight) names.norm(entry.embedding_norm, weights.embedding_norm);
  names.transposed = entry.transposed;
  for (std::size_t n = 0; n < weights.layers.size(); ++n) {
    names.prefix = entry.layers + std::to_string(n) + ".";
    name_layer(names, config, entry, weights.layers[n]);
  }
  names.prefix.clear();
  names.transposed = false;
  names.norm(entry.final_norm, weights.final_norm);
  names.matrix(entry.head, weights.head);
  return names.take();
}

template <typename T>
Index BasicStoredParameter<T>::count() const noexcept {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

template <typename T>
void BasicStoredParameter<T>::copy_rows(Index first, Index count, float* out) const noexcept {
  const Index cols = shape.size() > 1 ? shape[1] : 1;
  if (transposed) {
    return detail::transpose_columns<float>(data, cols, shape[0], first, count, out);
  }
  const Index begin = first * cols, end = (first + count) * cols;
  for_each_run(begin, end, [&](Index file, Index memory, Index size) {
    std::copy_n(data + memory, size, out + file - begin);
  });
  if (added == 0) return;
  for (Index i = 0; i < end - begin; ++i) out[i] -= added;
}

template <typename T>
void BasicStoredParameter<T>::copy_to(float* out) const noexcept {
  copy_rows(0, shape[0], out);
}

template <typename T>
void BasicStoredParameter<T>::copy_from(const float* elements) const noexcept
    requires(!std::is_const_v<T>) {
  if (transposed) {
    return detail::transpose_columns(elements, shape[0], shape[1], 0, shape[1], data);
  }
  for_each_run(0, count(), [&](Index file, Index memory, Index size) {
    for (Index i = 0; i < size; ++i) data[memory + i] = in_memory(elements[file + i]);
  });
}

// Instantiated one by one: for a whole struct, Clang 14 would also compile copy_from of const
// elements.
template Index BasicStoredParameter<float>::count() const noexcept;
template Index BasicStoredParameter<const float>::count() const noexcept;
template void BasicStoredParameter<float>::copy_to(float* out) const noexcept;
template void BasicStoredParameter<const float>::copy_to(float* out) const noexcept;
template void BasicStoredParameter<float>::copy_rows(Index, Index, float* out) const noexcept;
template void BasicStoredParameter<const float>::copy_rows(Index, Index, float* out) const noexcept;
template void BasicStoredParameter<float>::copy_from(const float* elements) const noexcept;

}  // namespace tril
