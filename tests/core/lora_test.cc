// Adapters in training: gradients against the complex step, 20 steps against PyTorch in float64
// (training_golden_test.cc), and frozen parameters.
#include <gtest/gtest.h>
#include <tril/model/lora_file.h>
#include <tril/model/model_file.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/model_reference.h"
#include "core/small_models.h"
#include "core/token_stream.h"
#include "core/training_run.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::equal;
using testing::error_of;
using testing::ModelReference;
using testing::ModelTables;
using testing::Rounded;
using testing::stream;
using testing::Table;
using testing::Tape;
using testing::tiny;
using testing::Tracked;
using testing::Training;
using testing::Values;

// The suffixes of all matrices of a layer.
std::vector<std::string> all_targets(const ModelConfig& config) {
  const LanguageModel model(config, 1);
  std::vector<std::string> all;
  for (const StoredParameter& each : stored_parameters(config, model.weights())) {
    const std::string module = each.name.substr(0, each.name.rfind('.'));
    const bool in_layer = each.name.starts_with(detail::family_entry(config.family).layers);
    if (each.matrix && in_layer) all.push_back(module.substr(module.rfind('.') + 1));
  }
  return all;
}

// A model with an adapter whose B is far from 0.
struct Adapted {
  LanguageModel model;
  LoraAdapter adapter;

  explicit Adapted(const ModelConfig& config, LoraOptions options = {.rank = 2, .alpha = 4})
      : model(config, 3), adapter(model, options, 11) {
    Random random(5);
    for (const StoredParameter& each : adapter.parameters(adapter.values())) {
      for (Index i = 0; i < each.count(); ++i) each.data[i] += 0.3f * random.normal();
    }
    adapter.merge();
  }
};

// Parameters in the form of files.
template <typename Scalar>
ModelTables<Scalar> tables_of(const std::vector<StoredParameter>& parameters) {
  ModelTables<Scalar> tables;
  for (StoredParameter each : parameters) {
    each.added = 0;
    Table<Scalar> table(each.shape.size() > 1 ? each.shape[0] : 1, each.shape.back());
    std::vector<float> elements(static_cast<std::size_t>(each.count()));
    each.copy_to(elements.data());
    for (std::size_t i = 0; i < elements.size(); ++i) table.values[i] = double{elements[i]};
    tables[each.name] = table;
  }
  return tables;
}

// W + alpha / rank B A of each matrix that has A and B, by the definition.
template <typename Scalar>
ModelTables<Scalar> merged(const LoraAdapter& adapter, const ModelTables<Scalar>& base,
                           const ModelTables<Scalar>& trained) {
  const ModelFamily family = adapter.model().config().family;
  const bool transposed = detail::family_entry(family).transposed;
  const Scalar scale(adapter.options().alpha / static_cast<double>(adapter.options().rank));
  ModelTables<Scalar> tables = base;
  for (auto& [name, weight] : tables) {
    if (!name.ends_with(".weight")) continue;
    const auto at = trained.find(detail::lora_name(family, name, 'A'));
    if (at == trained.end()) continue;
    const Table<Scalar>& a = at->second;
    const Table<Scalar>& b = trained.at(detail::lora_name(family, name, 'B'));
    for (Index o = 0; o < b.rows; ++o) {
      for (Index i = 0; i < a.cols; ++i) {
        testing::Sum<Scalar> sum;
        for (Index r = 0; r < a.rows; ++r) sum.add(b(o, r) * a(r, i));
        Scalar& to = transposed ? weight(i, o) : weight(o, i);
        to = to + scale * sum.value();
      }
    }
  }
  return tables;
}

TEST(Lora, GradientsAgreeWithTheComplexStep) {
  for (const auto family : {ModelFamily::gpt2, ModelFamily::qwen3, ModelFamily::gpt_neox,
                            ModelFamily::phi3, ModelFamily::gemma2}) {
    SCOPED_TRACE(std::string(name_of(kModelFamilies, family)));
    ModelConfig config = testing::shrunk(family);
    config.heads = 4;
    config.kv_heads = family == ModelFamily::gpt2 || family == ModelFamily::gpt_neox ? 0 : 2;
    Adapted c(config, {.rank = 2, .alpha = 4, .targets = all_targets(config)});
    const std::vector<std::int32_t> ids = {3, 1, 4, 1, 5, 2, 6, 5, 3, 0};
    const std::vector<std::int32_t> targets = {1, 4, 1, 5, -100, 6, 5, 3, -100, 2};
    const auto rows = [](const std::vector<std::int32_t>& all) {
      return MatrixView<const std::int32_t>(all.data(), {2, 5});
    };
    const ModelLoss loss = c.model.accumulate(rows(ids), rows(targets), {});
    c.adapter.take_gradients();
    const auto found = tables_of<double>(c.adapter.parameters(c.adapter.gradient()));

    Tape<double> rounding;
    Tape<Rounded> tape;
    auto variables = tables_of<Tracked<Rounded>>(c.adapter.parameters(c.adapter.values()));
    const auto constants = tables_of<Tracked<Rounded>>(c.adapter.base());
    std::vector<Table<Tracked<Rounded>>*> list;
    for (auto& [name, table] : variables) list.push_back(&table);
    Bounded bounded_loss;
    const auto slopes = tape.gradients(list, [&] {
      const auto tables = merged(c.adapter, constants, variables);
      const ModelReference<Tracked<Rounded>> reference{config, tables, 2, 5};
      const Tracked<Rounded> sum = reference.loss(ids, targets);
      bounded_loss = rounding.bounded({sum.value})[0];
      return sum;
    });
    EXPECT_NEAR(loss.sum, bounded_loss.value, bounded_loss.error);
    std::size_t n = 0;
    const auto base = tables_of<Complex>(c.adapter.base());
    auto trained = tables_of<Complex>(c.adapter.parameters(c.adapter.values()));
    for (auto& [name, table] : trained) {
      const Values<Bounded> bounded = rounding.bounded(slopes[n++]);
      const auto loss_of = [&] {
        const auto tables = merged(c.adapter, base, trained);
        return ModelReference<Complex>{config, tables, 2, 5}.loss(ids, targets);
      };
      testing::expect_complex_step_along(table.values, bounded, loss_of, name);
      testing::expect_bounded(bounded, found.at(name).values, name.c_str());
    }
  }
}

// An adapter in training.
struct AdapterRun {
  Training training;
  LoraAdapter adapter;
  Trainer trainer;

  AdapterRun(const ModelConfig& config, const LoraOptions& options)
      : training(config),
        adapter(*training.model, options, 2),
        trainer(adapter, Training::quick()) {}
  void go(int steps, int threads = 1) {
    Parallel parallel(threads);
    for (int n = 0; n < steps; ++n) trainer.step(stream(400), parallel);
  }
};

TEST(Lora, BeginsAsTheModelIs) {
  for (const auto& [name, family] : kModelFamilies) {
    SCOPED_TRACE(name);
    Training plain(tiny(family)), run(tiny(family));
    const std::vector<float> before(run.model->values().data(),
                                    run.model->values().data() + run.model->values().count());
    LoraAdapter adapter(*run.model, {.rank = 3, .targets = all_targets(tiny(family))}, 1);
    adapter.merge();
    Trainer trainer(adapter, Training::quick());
    EXPECT_EQ(trainer.evaluate(stream(300)).sum, plain.trainer->evaluate(stream(300)).sum);
    EXPECT_EQ(trainer.step(stream(300)).loss, plain.trainer->step(stream(300)).loss);
    for (const StoredParameter& each : adapter.parameters(adapter.values())) {
      const bool is_b = each.name.ends_with("lora_B.weight");
      const double bound = is_b ? 0.02 : 1 / std::sqrt(static_cast<double>(each.shape[1])) + 0.02;
      for (Index i = 0; i < each.count(); ++i) EXPECT_LE(std::abs(each.data[i]), bound);
    }
  }
}

// All parameters except for the changed matrices, and the base of these.
TEST(Lora, WhatIsFrozenStaysBitByBit) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::gpt_neox}) {
    Training run(tiny(family));
    run.go(30, stream(300));
    const std::vector<std::byte> before = model_file(*run.model);
    LoraAdapter adapter(*run.model, {.rank = 4, .alpha = 16}, 1);
    Trainer trainer(adapter, Training::quick());
    EXPECT_EQ(trainer.first_moment().size(0), adapter.values().size(0));
    std::vector<std::int32_t> other = stream(300);  // which follows another rule
    for (std::int32_t& each : other) each = (each + 1) % 11;
    const double first = trainer.evaluate(other, 8).mean();
    for (int n = 0; n < 30; ++n) trainer.step(other);
    EXPECT_LT(trainer.evaluate(other, 8).mean(), first - 0.1);

    const std::vector<std::byte> after = model_file(*run.model);
    const Safetensors was = parse_safetensors(before), is = parse_safetensors(after);
    int changed = 0;
    for (const NamedTensor& each : was.tensors) {
      const std::span<const std::byte> now = is.find(each.name)->bytes;
      if (std::ranges::equal(each.tensor.bytes, now)) continue;
      ++changed;
      EXPECT_TRUE(each.name.find("c_attn.weight") != each.name.npos ||
                  each.name.find("query_key_value.weight") != each.name.npos ||
                  each.name.find("q_proj.weight") != each.name.npos ||
                  each.name.find("v_proj.weight") != each.name.npos)
          << each.name;
    }
    EXPECT_EQ(changed, family == ModelFamily::llama ? 4 : 2);
    for (const StoredParameter& each : adapter.base()) {
      std::vector<float> own(static_cast<std::size_t>(each.count())), file(own.size());
      each.copy_to(own.data());
      read_elements(*was.find(each.name), std::span(file));
      EXPECT_EQ(own, file) << each.name;
    }
  }
}

TEST(Lora, ARunThatWasStoppedGoesOnWithTheSameBits) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::gemma2, ModelFamily::gpt_neox}) {
    SCOPED_TRACE(std::string(name_of(kModelFamilies, family)));
    ModelConfig config = tiny(family);
    config.dropout = 0.1;
    const LoraOptions options{.rank = 3, .alpha = 5, .targets = all_targets(config)};
    AdapterRun whole(config, options), stopped(config, options), resumed(config, options);
    whole.go(9, 2);
    stopped.go(4);
    const std::vector<std::byte> file = checkpoint_file(stopped.trainer);
    const Safetensors parsed = parse_safetensors(file);
    EXPECT_EQ(read_checkpoint(parsed).lora, stopped.adapter.options());
    resumed.training.model->values()[0] = 7;  // a different model
    restore_checkpoint(parsed, resumed.trainer);
    resumed.go(5);
    EXPECT_TRUE(equal(resumed.training.model->values(), whole.training.model->values()));
    EXPECT_TRUE(equal(resumed.adapter.values(), whole.adapter.values()));
    EXPECT_TRUE(equal(resumed.trainer.second_moment(), whole.trainer.second_moment()));

    LoraOptions other = options;
    other.rank = 4;
    AdapterRun another(config, other);
    EXPECT_EQ(error_of([&] { restore_checkpoint(parsed, another.trainer); }),
              "restore_checkpoint: lora.rank: is 4, and in the checkpoint 3");
    Training plain(config);
    EXPECT_EQ(error_of([&] { restore_checkpoint(parsed, *plain.trainer); }),
              "restore_checkpoint: lora.alpha: is none, and in the checkpoint 5");
    const std::vector<std::byte> of_all = checkpoint_file(*plain.trainer);
    EXPECT_EQ(error_of([&] { restore_checkpoint(parse_safetensors(of_all), resumed.trainer); }),
              "restore_checkpoint: lora.alpha: is 5, and in the checkpoint none");
  }
}

// Processes exchange only the gradients of A and B, take over A and B, and merge them.
TEST(Lora, IsTrainedByPartsOfABatch) {
  AdapterRun whole(tiny(), {.rank = 2}), first(tiny(), {.rank = 2}), second(tiny(), {.rank = 2});
  std::vector<float> gradient;
  std::vector<std::vector<std::byte>> told;
  first.trainer.set_share(
      {0, 2,
       [&](VectorView<float> own, std::span<double>) {
         ASSERT_EQ(gradient.size(), static_cast<std::size_t>(first.adapter.values().size(0)));
         for (Index i = 0; i < own.size(0); ++i) own[i] += gradient[static_cast<std::size_t>(i)];
       },
       [&](std::span<std::byte> bytes) { told.emplace_back(bytes.begin(), bytes.end()); }});
  second.trainer.set_share({1, 2,
                            [&](VectorView<float> own, std::span<double>) {
                              gradient.assign(own.data(), own.data() + own.size(0));
                            },
                            [&](std::span<std::byte> bytes) {
                              if (told.empty()) first.go(1);
                              std::ranges::copy(told.front(), bytes.begin());
                              told.erase(told.begin());
                            }});
  second.go(3);
  whole.go(3);
  EXPECT_TRUE(equal(first.training.model->values(), second.training.model->values()));
  EXPECT_TRUE(equal(first.adapter.values(), second.adapter.values()));
  // The same up to the order of additions, which AdamW's first steps amplify.
  EXPECT_TRUE(testing::close(first.adapter.values(), whole.adapter.values(), 1e-3));
}

TEST(Lora, OtherGradientsAreNotComputed) {
  Adapted c(tiny(ModelFamily::llama));
  EXPECT_EQ(c.adapter.options().targets, (std::vector<std::string>{"q_proj", "v_proj"}));
  EXPECT_FALSE(c.model.gradients().embedding);
  EXPECT_FALSE(c.model.gradients().layers[1].linear1.weight);
  EXPECT_TRUE(c.model.gradients().layers[1].attention.in_proj_weight);
  EXPECT_LT(c.model.gradient().size(0), c.model.values().size(0) / 3);
  EXPECT_EQ(c.adapter.parameter_count(), 2 * 2 * (2 * 16 + 2 * 16));
}

TEST(Lora, WhatCannotBeIsRefused) {
  LanguageModel model(tiny(), 1);
  const auto refused = [&](const LoraOptions& options) {
    return error_of([&] { LoraAdapter(model, options, 1); });
  };
  EXPECT_EQ(refused({.rank = 0}),
            "LoraAdapter: rank: must be from 1 to the width of the model, 16, is 0");
  EXPECT_EQ(refused({.rank = 17}),
            "LoraAdapter: rank: must be from 1 to the width of the model, 16, is 17");
  EXPECT_EQ(refused({.alpha = -1}), "LoraAdapter: alpha: must be finite and above 0, is -1");
  const std::string known = " is no matrix of a layer; there are c_attn, c_proj, c_fc";
  for (const char* target : {"q_proj", "", "attn", "_attn", "ln_1", "wte", ".c_attn"}) {
    EXPECT_EQ(refused({.targets = {"c_fc", target}}),
              "LoraAdapter: targets: \"" + std::string(target) + "\"" + known);
  }
  EXPECT_TRUE(model.gradients().embedding);
  LoraAdapter one(model, {.targets = {"mlp.c_proj", "h.1.attn.c_proj"}}, 1);
  EXPECT_EQ(one.parameters(one.values()).size(), 2 * 3u);
}

}  // namespace
}  // namespace tril
