// Numbers hidden by a mask, a length or the order of tokens change no bit of a whole Transformer's
// output, of its gradients, and of the parameters after a training step.
#include <gtest/gtest.h>
#include <tril/foundation/saved_memory.h>
#include <tril/model/encoder_decoder.h>
#include <tril/model/language_model.h>
#include <tril/model/trainer.h>
#include <tril/training/gradient_norm.h>
#include <tril/training/optimizers.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"
#include "core/hidden.h"
#include "core/multi_head_module.h"

namespace tril {
namespace {

using testing::append, testing::expect_hidden, testing::normal;

constexpr Index kBatches = 2, kSource = 9, kTarget = 7, kWidth = 8;
constexpr Index kSourceLengths[] = {6, 9}, kTargetLengths[] = {7, 4};

std::vector<Index> lengths(const Index (&all)[kBatches]) { return {all[0], all[1]}; }

// Fills the rows of x from each batch's length on with `value`.
void fill_beyond(const Index (&lengths)[kBatches], float value, Buffer<float, 3>& x) {
  for (Index b = 0; b < kBatches; ++b) {
    for (Index t = lengths[b]; t < x.shape()[1]; ++t) {
      std::fill_n(x.view()[b][t].data(), x.shape()[2], value);
    }
  }
}

// Options for sources and targets of different lengths, padded with garbage: their masks hide it.
TransformerOptions padded(NormOrder norm, Activation activation) {
  TransformerOptions options;
  options.heads = 2, options.norm = norm, options.activation = activation;
  options.source_attention.mask = Mask::padding(lengths(kSourceLengths));
  options.memory_attention.mask = Mask::padding(lengths(kSourceLengths));
  options.target_attention.mask = Mask::padding(lengths(kTargetLengths));
  options.target_attention.causal = true;
  return options;
}

class HiddenTransformer : public ::testing::TestWithParam<NormOrder> {};

TEST_P(HiddenTransformer, PaddingChangesNeitherOutputsNorGradientsNorAStep) {
  Scratch scratch;
  Parallel parallel{2};
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    for (const bool dropped : {false, true}) {
      Random random(21);
      testing::WeightSource source_of_weights(random, false);
      const TransformerWeights drawn = source_of_weights.transformer(2, 2, kWidth, 12);
      Buffer<float, 3> source = normal({kBatches, kSource, kWidth}, random);
      Buffer<float, 3> target = normal({kBatches, kTarget, kWidth}, random);
      Buffer<float, 3> d_out = normal({kBatches, kTarget, kWidth}, random);
      fill_beyond(kTargetLengths, 0, d_out);  // these rows have no loss
      TransformerOptions options = padded(GetParam(), activation);
      if (dropped) options.dropout = DropoutPlaces{.probability = 0.2, .seed = 3};

      expect_hidden(std::string(name_of(kActivations, activation)), [&](float garbage) {
        fill_beyond(kSourceLengths, garbage, source);
        fill_beyond(kTargetLengths, garbage, target);
        const Index count = parameter_count(drawn);
        Buffer<float, 1> values({count}), gradient({count}), first({count}), second({count});
        auto owned = parameters_in<BasicTransformerWeights<float>>(values.data(), drawn);
        zip_parameters(
            [](const ParameterName&, const auto& from, const auto& to) {
              if (!from) return;
              if constexpr (requires { from.floats(); }) {
                std::copy_n(from.floats().data(), from.count(), to.data());
              } else {
                std::copy_n(from.data(), from.count(), to.data());
              }
            },
            drawn, owned);
        const auto weights = parameters_as<TransformerWeights>(owned);
        Buffer<float, 1> memory;
        const TransformerTrace trace = saved_in(memory, [&](SavedMemory& place) {
          return transformer_saved(source.shape(), target.shape(), weights, options, place);
        });
        Buffer<float, 3> out(target.shape()), d_source(source.shape()), d_target(target.shape());
        transformer(source, target, weights, options, out, {scratch, parallel}, trace);
        TransformerGradients gradients{d_source, d_target, {}};
        gradients.weights = parameters_in<BasicTransformerWeights<float>>(gradient.data(), drawn);
        transformer_backward(d_out, source, target, weights, options, trace, gradients,
                             {scratch, parallel});
        AdamWOptions step;
        step.gradient_scale = clip_scale(gradient_norm(gradient, {scratch, parallel}), 1);
        adamw_step(values, gradient, first, second, 1, step, parallel);

        std::vector<float> all;
        for (Index b = 0; b < kBatches; ++b) {
          for (Index t = 0; t < kTargetLengths[b]; ++t) append<1>(out.view()[b][t], all);
          for (Index s = kSourceLengths[b]; s < kSource; ++s) {
            EXPECT_EQ(testing::max_abs(d_source.view()[b][s]), 0) << s;
          }
          for (Index t = kTargetLengths[b]; t < kTarget; ++t) {
            EXPECT_EQ(testing::max_abs(d_target.view()[b][t]), 0) << t;
          }
        }
        append<3>(d_source.view(), all), append<3>(d_target.view(), all);
        for (const auto* each : {&gradient, &values, &first, &second}) {
          append<1>(each->view(), all);
        }
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Norms, HiddenTransformer, ::testing::ValuesIn(testing::kNormOrders));

// A token that only appears where no later token sees it and no loss is taken: its numbers reach
// only its row of the embedding.
constexpr std::int32_t kLast = 5;

// All parameters and their gradients, except for one row of an embedding.
template <typename Model>
std::vector<float> all_but(const MatrixView<float>& embedding, Model& model) {
  std::vector<float> all;
  const float* const begin = embedding[kLast].data();
  const VectorView<float> values = model.values();
  for (Index i = 0; i < values.size(0); ++i) {
    const float* const value = values.data() + i;
    if (value < begin || value >= begin + embedding.size(1)) all.push_back(*value);
  }
  append<1>(model.gradient(), all);
  return all;
}

TEST(Hidden, TokensThatNothingSeesChangeNoStepOfAnEncoderDecoder) {
  EncoderDecoderConfig config;
  config.source_vocabulary = config.target_vocabulary = 6, config.context = 4;
  config.encoder_layers = 1, config.decoder_layers = 2, config.heads = 2;
  config.width = 8, config.hidden = 12;
  const std::vector<std::int32_t> sources = {0, 1, 2, 3, 4, 5};
  const std::vector<std::int32_t> targets = {0, 1, 2, kLast, 3, 4, 0, kLast};
  const std::vector<std::int32_t> labels = {1, 2, 0, kIgnoredTarget, 4, 0, 1, kIgnoredTarget};
  for (const NormOrder norm : testing::kNormOrders) {
    for (const double dropout : {0.0, 0.2}) {
      config.norm = norm, config.dropout = dropout;
      expect_hidden("a row of the embedding", [&](float garbage) {
        EncoderDecoder model(config, 4);
        const MatrixView<float> embedding = model.weights().target_embedding;
        std::fill_n(embedding[kLast].data(), config.width, garbage);
        Trainer trainer(model, TrainerOptions::for_sequences());
        Parallel parallel(2);
        const EncoderDecoder::Tokens tokens(targets.data(), {2, 4});
        const double loss =
            trainer.step({{sources.data(), {2, 3}}, tokens, {labels.data(), {2, 4}}}, parallel)
                .loss;
        std::vector<float> all = all_but(embedding, model);
        all.push_back(static_cast<float>(loss));
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Hidden, TokensThatNothingSeesChangeNoStepOfALanguageModel) {
  const std::vector<std::int32_t> tokens = {0, 1, 2, 4, kLast, 3, 1, 0, 2, kLast};
  const std::vector<std::int32_t> targets = {1, 2, 4, 0, kIgnoredTarget,
                                             1, 0, 2, 3, kIgnoredTarget};
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    for (const double dropout : {0.0, 0.2}) {
      ModelConfig config = ModelConfig::of(family);
      config.layers = 2, config.heads = 2, config.width = 8, config.context = 5;
      config.vocabulary = 6, config.tied_head = false, config.dropout = dropout;
      expect_hidden(std::string(name_of(kModelFamilies, family)), [&](float garbage) {
        LanguageModel model(config, 4);
        const MatrixView<float> embedding = model.weights().embedding;
        std::fill_n(embedding[kLast].data(), config.width, garbage);
        Trainer trainer(model, {});
        Parallel parallel(2);
        const double loss =
            trainer.step({tokens.data(), {2, 5}}, {targets.data(), {2, 5}}, parallel).loss;
        std::vector<float> all = all_but(embedding, model);
        all.push_back(static_cast<float>(loss));
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tril
