#include <tril/foundation/check.h>
#include <tril/foundation/random.h>
#include <tril/matmul/matmul.h>
#include <tril/model/lora.h>
#include <tril/model/model_family.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "LoraAdapter";
constexpr std::string_view kWeight = ".weight";

// "h.0.attn.c_attn", for example, from "h.0.attn.c_attn.weight".
std::string_view module_of(const StoredParameter& parameter) {
  return std::string_view(parameter.name).substr(0, parameter.name.size() - kWeight.size());
}

// PEFT's rule: a target is the whole name, or its end after a dot.
bool is_target(std::string_view module, std::string_view target) {
  if (!module.ends_with(target)) return false;
  module.remove_suffix(target.size());
  return module.empty() || (module.ends_with('.') && !target.empty());
}

// The matrices of layers, in the order of the forward pass.
std::vector<StoredParameter> layer_matrices(const ModelConfig& config,
                                            const BasicModelWeights<float>& weights) {
  const std::string_view layers = detail::family_entry(config.family).layers;
  std::vector<StoredParameter> list = stored_parameters(config, weights);
  std::erase_if(list, [&](const StoredParameter& each) {
    return !each.matrix || !each.name.starts_with(layers);
  });
  return list;
}

void check_options(const LanguageModel& model, const LoraOptions& options) {
  const Index width = model.config().width;
  if (options.rank < 1 || options.rank > width) {
    fail(kCall, "rank",
         {"must be from 1 to the width of the model, ", width, ", is ", options.rank});
  }
  if (!std::isfinite(options.alpha) || options.alpha <= 0) {
    fail(kCall, "alpha", {"must be finite and above 0, is ", options.alpha});
  }
  const std::vector<StoredParameter> matrices = layer_matrices(model.config(), model.weights());
  for (const std::string& target : options.targets) {
    const auto fits = [&](const StoredParameter& each) {
      return is_target(module_of(each), target);
    };
    if (std::ranges::any_of(matrices, fits)) continue;
    std::vector<std::string> known;
    std::string list;
    for (const StoredParameter& each : matrices) {
      const std::string_view module = module_of(each);
      const std::string name(module.substr(module.rfind('.') + 1));
      if (std::ranges::find(known, name) != known.end()) continue;
      known.push_back(name);
      list += (list.empty() ? "" : ", ") + name;
    }
    fail(kCall, "targets", "\"" + target + "\" is no matrix of a layer; there are " + list);
  }
}

}  // namespace

std::vector<std::string> lora_targets(ModelFamily family) {
  const detail::FamilyEntry& entry = detail::family_entry(family);
  if (entry.projections == detail::StoredProjections::apart) return {entry.query, entry.value};
  return {entry.query_key_value};
}

namespace detail {

void merge_lora(const LoraPair& pair, const MatrixView<const float>& base,
                const MatrixView<float>& weight, const Context& context) {
  if (weight.data() != base.data()) std::copy_n(base.data(), base.count(), weight.data());
  matmul(pair.b, pair.a, {.accumulate = true, .alpha = pair.scale}, weight, context);
}

std::string lora_name(ModelFamily family, const std::string& name, char matrix) {
  std::string text = "base_model.model.";
  text += family_entry(family).prefix;
  text += name.substr(0, name.size() - kWeight.size());
  return text + ".lora_" + matrix + ".weight";
}

std::vector<StoredParameter> stored_lora(ModelFamily family, const std::vector<LoraPair>& pairs,
                                         SavedMemory& memory) {
  std::vector<StoredParameter> list;
  const auto add = [&](const LoraPair& pair, char matrix, Index rows, Index cols) {
    list.push_back({lora_name(family, pair.target.name, matrix),
                    {rows, cols},
                    memory.take(rows, cols).data(),
                    false});
  };
  for (const LoraPair& each : pairs) {
    add(each, 'A', each.rank, each.in());
    add(each, 'B', each.out(), each.rank);
    list.back().order = each.target.order;
  }
  return list;
}

std::vector<StoredParameter> place_lora(ModelFamily family, std::vector<LoraPair>& pairs,
                                        SavedMemory& memory) {
  std::vector<StoredParameter> list = stored_lora(family, pairs, memory);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    pairs[n].a = {list[2 * n].data, {pairs[n].rank, pairs[n].in()}};
    pairs[n].b = {list[2 * n + 1].data, {pairs[n].out(), pairs[n].rank}};
  }
  return list;
}

}  // namespace detail

LoraAdapter::LoraAdapter(LanguageModel& model, const LoraOptions& options, std::uint64_t seed)
    : model_(model), options_(options) {
  const ModelConfig& config = model.config();
  if (options_.targets.empty()) options_.targets = lora_targets(config.family);
  check_options(model, options_);
  const auto scale = static_cast<float>(options_.alpha / static_cast<double>(options_.rank));
  std::vector<Index> matrices;
  for (const StoredParameter& each : layer_matrices(config, model.weights())) {
    const auto fits = [&](const std::string& target) { return is_target(module_of(each), target); };
    if (std::ranges::none_of(options_.targets, fits)) continue;
    matrices.push_back(*each.matrix);
    pairs_.push_back({each, options_.rank, scale});
  }
  stored_ = saved_in(values_,
                     [&](SavedMemory& place) { return place_lora(config.family, pairs_, place); });
  const auto d = saved_in(
      gradient_, [&](SavedMemory& place) { return stored_lora(config.family, pairs_, place); });
  base_views_ = saved_in(base_, [&](SavedMemory& place) {
    std::vector<MatrixView<float>> views;
    for (const detail::LoraPair& each : pairs_) views.push_back(place.take(each.out(), each.in()));
    return views;
  });
  model_.keep_gradients_of(matrices);
  const auto d_weights = layer_matrices(config, model.gradients());
  Random random(seed);
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const auto& [target, rank, factor, a, b] = pairs_[n];
    std::copy_n(target.data, base_views_[n].count(), base_views_[n].data());
    const float bound = 1 / std::sqrt(static_cast<float>(a.size(1)));
    fill_uniform(a, random, -bound, bound);
    const auto own = std::ranges::find(d_weights, target.name, &StoredParameter::name);
    gradients_.push_back({{own->data, base_views_[n].shape()},
                          {d[2 * n].data, a.shape()},
                          {d[2 * n + 1].data, b.shape()}});
  }
}

Index LoraAdapter::parameter_count() const noexcept {
  Index count = 0;
  for (const detail::LoraPair& each : pairs_) count += each.a.count() + each.b.count();
  return count;
}

std::size_t LoraAdapter::bytes() const noexcept {
  const Index floats = values_.shape()[0] + gradient_.shape()[0] + base_.shape()[0];
  return static_cast<std::size_t>(floats) * sizeof(float);
}

void LoraAdapter::take_gradients(const Context& context) {
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const auto& [target, rank, scale, a, b] = pairs_[n];
    const auto& [d_weight, d_a, d_b] = gradients_[n];
    matmul(b, d_weight, {.transpose_a = true, .alpha = scale}, d_a, context);
    matmul(d_weight, a, {.transpose_b = true, .alpha = scale}, d_b, context);
  }
}

void LoraAdapter::merge(const Context& context) {
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const MatrixView<float> weight(pairs_[n].target.data, base_views_[n].shape());
    detail::merge_lora(pairs_[n], base_views_[n], weight, context);
  }
}

std::vector<StoredParameter> LoraAdapter::base() const {
  std::vector<StoredParameter> list = model_.parameters(model_.values());
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    std::ranges::find(list, pairs_[n].target.name, &StoredParameter::name)->data =
        base_views_[n].data();
  }
  return list;
}

}  // namespace tril
