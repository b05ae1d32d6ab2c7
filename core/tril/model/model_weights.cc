#include <tril/foundation/random.h>
#include <tril/model/model_weights.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tril {

namespace {

// Gives places that have a shape and nothing else.
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
  const Index inner = config.feed_forward == ModelFeedForward::swiglu ? 2 * F : F;
  ModelLayout layout;
  BasicModelWeights<float>& weights = layout.weights;
  weights.embedding = memory.take(V, C);
  if (config.positions == ModelPositions::learned)
    weights.positions = memory.take(config.context, C);
  weights.layers.resize(static_cast<std::size_t>(config.layers));
  for (BasicModelLayerWeights<float>& layer : weights.layers) {
    layer.attention.in_proj_weight = memory.take(E + 2 * Ek, C);
    layer.attention.out_proj_weight = memory.take(C, E);
    layer.linear1.weight = memory.take(inner, C);
    layer.linear2.weight = memory.take(C, F);
  }
  if (!config.tied_head) weights.head = memory.take(V, C);
  layout.decayed = memory.count();

  const auto norm = [&](BasicNormWeights<float>& each) {
    if (config.norm == ModelNorm::none) return;
    each.weight = memory.take(C);
    if (config.biases && config.norm == ModelNorm::layer_norm) each.bias = memory.take(C);
  };
  for (BasicModelLayerWeights<float>& layer : weights.layers) {
    norm(layer.norm1);
    norm(layer.norm2);
    if (config.query_key_norm) {
      layer.attention.q_norm = memory.take(config.head_width());
      layer.attention.k_norm = memory.take(config.head_width());
    }
    if (config.has_projection_biases()) layer.attention.in_proj_bias = memory.take(E + 2 * Ek);
    if (!config.biases) continue;
    layer.attention.out_proj_bias = memory.take(C);
    layer.linear1.bias = memory.take(inner);
    layer.linear2.bias = memory.take(C);
  }
  norm(weights.final_norm);
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
    norm(layer.norm2);
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

// The list of parameters while it grows.
class Names {
 public:
  std::string prefix;

  void matrix(const std::string& name, const MatrixView<float>& view, bool transposed = false) {
    if (view) rows(name, view, 0, view.size(0), transposed);
  }
  void vector(const char* name, const VectorView<float>& view) {
    if (view) list_.push_back({prefix + name, {view.size(0)}, view.data(), false, nullptr});
  }
  void linear(const std::string& name, const MatrixView<float>& weight,
              const VectorView<float>& bias, bool transposed) {
    matrix(name + ".weight", weight, transposed);
    vector((name + ".bias").c_str(), bias);
  }
  void norm(const std::string& name, const BasicNormWeights<float>& norm) {
    vector((name + ".weight").c_str(), norm.weight);
    vector((name + ".bias").c_str(), norm.bias);
  }
  // Rows [first, first + count) of what is stacked.
  void rows(const std::string& name, const MatrixView<float>& weight, const VectorView<float>& bias,
            Index first, Index count) {
    rows(name + ".weight", weight, first, count, false);
    vector((name + ".bias").c_str(),
           bias ? VectorView<float>(bias.data() + first, {count}) : VectorView<float>());
  }
  std::vector<StoredParameter> take() { return std::move(list_); }

 private:
  void rows(const std::string& name, const MatrixView<float>& matrix, Index first, Index count,
            bool transposed) {
    std::vector<Index> shape = {count, matrix.size(1)};
    if (transposed) std::swap(shape[0], shape[1]);
    list_.push_back({prefix + name, std::move(shape), matrix[first].data(), transposed, &matrix});
  }

  std::vector<StoredParameter> list_;
};

void name_query_key_norm(Names& names, const std::string& at,
                         const BasicMultiHeadWeights<float>& attention) {
  names.vector((at + ".q_norm.weight").c_str(), attention.q_norm);
  names.vector((at + ".k_norm.weight").c_str(), attention.k_norm);
}

void name_gpt2_layer(Names& names, const BasicModelLayerWeights<float>& layer) {
  const auto& attention = layer.attention;
  names.norm("ln_1", layer.norm1);
  names.linear("attn.c_attn", attention.in_proj_weight, attention.in_proj_bias, true);
  names.linear("attn.c_proj", attention.out_proj_weight, attention.out_proj_bias, true);
  name_query_key_norm(names, "attn", attention);
  names.norm("ln_2", layer.norm2);
  names.linear("mlp.c_fc", layer.linear1.weight, layer.linear1.bias, true);
  names.linear("mlp.c_proj", layer.linear2.weight, layer.linear2.bias, true);
}

void name_llama_layer(Names& names, const ModelConfig& config,
                      const BasicModelLayerWeights<float>& layer) {
  const auto& attention = layer.attention;
  const Index E = config.query_width(), Ek = config.key_width();
  names.norm("input_layernorm", layer.norm1);
  const auto part = [&](const char* name, Index first, Index count) {
    names.rows(name, attention.in_proj_weight, attention.in_proj_bias, first, count);
  };
  part("self_attn.q_proj", 0, E);
  part("self_attn.k_proj", E, Ek);
  part("self_attn.v_proj", E + Ek, Ek);
  names.linear("self_attn.o_proj", attention.out_proj_weight, attention.out_proj_bias, false);
  name_query_key_norm(names, "self_attn", attention);
  names.norm("post_attention_layernorm", layer.norm2);
  const Index F = config.hidden_width();
  if (config.feed_forward == ModelFeedForward::swiglu) {
    names.rows("mlp.gate_proj", layer.linear1.weight, layer.linear1.bias, 0, F);
    names.rows("mlp.up_proj", layer.linear1.weight, layer.linear1.bias, F, F);
  } else {
    names.linear("mlp.up_proj", layer.linear1.weight, layer.linear1.bias, false);
  }
  names.linear("mlp.down_proj", layer.linear2.weight, layer.linear2.bias, false);
}

}  // namespace

std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const BasicModelWeights<float>& weights) {
  const bool gpt2 = config.family == ModelFamily::gpt2;
  Names names;
  names.matrix(gpt2 ? "wte.weight" : "model.embed_tokens.weight", weights.embedding);
  names.matrix(gpt2 ? "wpe.weight" : "model.embed_positions.weight", weights.positions);
  for (std::size_t n = 0; n < weights.layers.size(); ++n) {
    names.prefix = (gpt2 ? "h." : "model.layers.") + std::to_string(n) + ".";
    if (gpt2) {
      name_gpt2_layer(names, weights.layers[n]);
    } else {
      name_llama_layer(names, config, weights.layers[n]);
    }
  }
  names.prefix.clear();
  names.norm(gpt2 ? "ln_f" : "model.norm", weights.final_norm);
  names.matrix("lm_head.weight", weights.head);
  return names.take();
}

std::vector<StoredParameter> stored_parameters(const ModelConfig& config,
                                               const VectorView<const float>& memory) {
  SavedMemory place(VectorView<float>(const_cast<float*>(memory.data()), memory.shape()));
  return stored_parameters(config, model_layout(config, place).weights);
}

namespace {

// A matrix [rows, cols] as [cols, rows].
void transpose(const float* from, Index rows, Index cols, float* to) noexcept {
  for (Index n = 0; n < rows; ++n) {
    for (Index m = 0; m < cols; ++m) to[m * rows + n] = from[n * cols + m];
  }
}

}  // namespace

Index StoredParameter::count() const noexcept {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

void StoredParameter::copy_to(float* out) const noexcept {
  if (transposed) transpose(data, shape[1], shape[0], out);
  if (!transposed) std::copy_n(data, count(), out);
}

void StoredParameter::copy_from(const float* elements) const noexcept {
  if (transposed) transpose(elements, shape[0], shape[1], data);
  if (!transposed) std::copy_n(elements, count(), data);
}

}  // namespace tril
