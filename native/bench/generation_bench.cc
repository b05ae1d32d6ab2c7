// A model of llama2.c's kind (Karpathy 2023), token by token: 6 layers of 8 heads, 256 wide, a
// vocabulary of 4096, 5.8 M parameters; 128 tokens after a prompt of 128. And a larger one, 12
// layers of 12 heads, 768 wide, 88 M parameters; 16 tokens after 32. Both with weights of 32 bits
// and of 16. Each token reads all matrices but the embedding once, so the limit is the speed of
// reading as many bytes, measured in the same rounds. A prompt is bound by its products, which are
// measured alone, too: `products` multiplies as many rows by the same matrices and does nothing
// else. `looked` reads the attention weights of all heads for a prompt, `unlooked` does not.
//
//     tril_bench --benchmark_filter=generation --benchmark_repetitions=9
//         --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <tril/files/stored_tensor.h>
#include <tril/foundation/random.h>
#include <tril/layers/linear.h>
#include <tril/model/decoding_session.h>
#include <tril/model/model_attention.h>
#include <tril/model/parameter_writer.h>
#include <tril/model/pretrained.h>

#include <span>
#include <string>
#include <vector>

#include "matmul_bench.h"
#include "memory_kernels.h"

namespace tril {
namespace bench {
namespace {

struct Case {
  const char* name;  // prefix of the row's name
  Index layers, heads, width, prompt, tokens;
};
constexpr Case kSmall = {"", 6, 8, 256, 128, 128}, kLarge = {"large_", 12, 12, 768, 32, 16};

ModelConfig config_of(const Case& sizes) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = sizes.layers, config.heads = sizes.heads, config.width = sizes.width;
  config.context = sizes.prompt + sizes.tokens, config.vocabulary = 4096;
  config.tied_head = true;
  return config;
}

// Random parameters of this kind, as if read from a file of that type; q8_0 as if from float32.
ModelParameters parameters_of(const Case& sizes, WeightKind type) {
  const ModelConfig config = config_of(sizes);
  ModelParameters floats(config);
  initialise_model(config, floats.floats(), 1);
  if (type == WeightKind::float32) return floats;
  const ElementType file = stored_type(type);
  const std::vector<StoredParameter> stored = stored_parameters(config, floats.floats());
  Safetensors header;
  for (const StoredParameter& each : stored) {
    header.tensors.push_back({each.name, {.type = file, .shape = each.shape}, 0});
  }
  const bool quantised = type == WeightKind::q8_0;
  ModelParameters narrow(config, quantised ? ParameterMemory::q8_0 : ParameterMemory::as_in_files);
  ParameterReader reader(narrow);
  const std::vector<ParameterRange> places = reader.find(header.tensors);
  for (std::size_t n = 0; n < stored.size(); ++n) {
    std::vector<std::byte> bytes(places[n].size);
    write_elements({stored[n].data, static_cast<std::size_t>(stored[n].count())}, file, bytes);
    reader.read(places[n], bytes);
  }
  reader.finish();
  return narrow;
}

// Counts the bytes of all matrices that a token is multiplied with. The embedding, of which a token
// reads one row, is the head as well.
void count(benchmark::State& state, std::size_t bytes, Index tokens) {
  const auto kind = benchmark::Counter::kIsIterationInvariantRate;
  const auto many = static_cast<double>(tokens);
  state.counters["B/s"] = benchmark::Counter(static_cast<double>(bytes) * many, kind);
  state.counters["tokens/s"] = benchmark::Counter(many, kind);
}

std::vector<std::int32_t> prompt(const Case& sizes) {
  std::vector<std::int32_t> ids;
  for (Index n = 0; n < sizes.prompt; ++n) ids.push_back(static_cast<std::int32_t>(n * n % 4096));
  return ids;
}

// A new model and a session with it.
struct Session {
  Session(const Case& sizes, WeightKind type, int threads)
      : parameters(parameters_of(sizes, type)), session(parameters), parallel(threads) {}
  VectorView<const float> append(std::span<const std::int32_t> tokens) {
    return session.append(tokens, {scratch, parallel});
  }

  ModelParameters parameters;
  DecodingSession session;
  Scratch scratch;
  Parallel parallel;
};

// Times only what follows the prompt: each round returns to the end of the prompt.
void generate(benchmark::State& state, const Case& sizes, WeightKind type, int threads) {
  Session model(sizes, type, threads);
  model.append(prompt(sizes));
  measure(state, [&] {
    model.session.set_length(sizes.prompt);
    for (std::int32_t n = 0; n < sizes.tokens; ++n) {
      benchmark::DoNotOptimize(model.append({&n, 1}));
    }
  });
  count(state, model.parameters.bytes(), sizes.tokens);
}

// Counts two operations per parameter and token; only the last token's logits are computed.
void count_prompt(benchmark::State& state, const Case& sizes, const ModelParameters& parameters) {
  const double head = 4096 * static_cast<double>(sizes.width);
  const double all = static_cast<double>(parameter_count(parameters.layout()));
  count_flops(state, 2 * ((all - head) * static_cast<double>(sizes.prompt) + head));
}

void prefill(benchmark::State& state, const Case& sizes, WeightKind type, int threads) {
  Session model(sizes, type, threads);
  const std::vector<std::int32_t> first = prompt(sizes);
  measure(state, [&] {
    model.session.set_length(0);
    benchmark::DoNotOptimize(model.append(first));
  });
  count_prompt(state, sizes, model.parameters);
}

// A prompt with and without reading the attention weights of all heads.
void look(benchmark::State& state, const Case& sizes, bool wanted) {
  const ModelParameters parameters = parameters_of(sizes, WeightKind::float32);
  const std::vector<std::int32_t> ids = prompt(sizes);
  Buffer<float, 4> weights(model_attention_shape(parameters, sizes.prompt));
  Scratch scratch;
  Parallel parallel(1);
  const Context context(scratch, parallel);
  measure(state, [&] {
    if (wanted) return model_attention(parameters, ids, weights, context);
    benchmark::DoNotOptimize(DecodingSession(parameters, sizes.prompt).append(ids, context));
  });
  count_prompt(state, sizes, parameters);
  const auto bytes = static_cast<double>(DecodingSession(parameters, sizes.prompt).bytes());
  const double taken = wanted ? static_cast<double>(weights.view().count()) * sizeof(float) : 0;
  state.counters["bytes"] = bytes + taken + static_cast<double>(scratch.peak());
}

// The products of a prompt alone, on rows that are in memory already.
void multiply(benchmark::State& state, const Case& sizes, WeightKind type, int threads) {
  const ModelParameters parameters = parameters_of(sizes, type);
  const ModelWeights& weights = parameters.weights();
  const Index most = weights.layers.front().linear1.weight.size(0);  // the widest rows
  Buffer<float, 1> from({sizes.prompt * most}), to({sizes.prompt * most});
  Random random(1);
  fill_uniform(from.view(), random, -1, 1);
  Scratch scratch;
  Parallel parallel(threads);
  const auto product = [&](const Weight& weight, Index rows, Buffer<float, 1>& out) {
    linear({from.data(), {rows, weight.size(1)}}, weight, {}, {out.data(), {rows, weight.size(0)}},
           {scratch, parallel});
  };
  Buffer<float, 1> logits({weights.embedding.size(0)});
  measure(state, [&] {
    for (const BasicModelLayerWeights<const float>& layer : weights.layers) {
      product(layer.attention.in_proj_weight, sizes.prompt, to);
      product(layer.attention.out_proj_weight, sizes.prompt, to);
      product(layer.linear1.weight, sizes.prompt, to);
      product(layer.linear2.weight, sizes.prompt, to);
    }
    product(weights.embedding, 1, logits);
  });
  count_prompt(state, sizes, parameters);
}

void read_memory(benchmark::State& state, const Case& sizes, WeightKind type) {
  const std::size_t bytes = parameters_of(sizes, type).bytes();
  const auto floats = static_cast<Index>(bytes / sizeof(float) / 128 * 128);
  const Buffer<float, 1> weights({floats});
  measure(state, [&] {
    benchmark::DoNotOptimize(memory_kernels(best_isa()).read(weights.data(), floats));
  });
  count(state, bytes, 1);
}

const bool kRegistered = [] {
  for (const Case& sizes : {kSmall, kLarge}) {
    for (const auto& [kind, type] : kWeightKinds) {
      const bool floats = type == WeightKind::float32;
      const std::string of = sizes.name + (floats ? std::string() : std::string(kind) + "_");
      benchmark::RegisterBenchmark(
          ("generation/" + of + "memory").c_str(),
          [=, type = type](benchmark::State& state) { read_memory(state, sizes, type); });
      for (const bool wanted : {false, true}) {
        if (!floats) break;
        const char* const name = wanted ? "looked" : "unlooked";
        benchmark::RegisterBenchmark(
            ("generation/" + of + name + std::to_string(sizes.prompt)).c_str(),
            [=](benchmark::State& state) { look(state, sizes, wanted); });
      }
      for (const int threads : {1, 2}) {
        const std::string name = (threads == 1 ? "generation/" : "generation/2_threads_") + of;
        register_on(
            threads, name + "prompt" + std::to_string(sizes.prompt),
            [=, type = type](benchmark::State& state) { prefill(state, sizes, type, threads); });
        register_on(
            threads, name + "products" + std::to_string(sizes.prompt),
            [=, type = type](benchmark::State& state) { multiply(state, sizes, type, threads); });
        register_on(
            threads, name + "tokens" + std::to_string(sizes.tokens),
            [=, type = type](benchmark::State& state) { generate(state, sizes, type, threads); });
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace bench
}  // namespace tril
