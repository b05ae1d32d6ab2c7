// A wrong TRIL_FORCE_ISA is an Error of the first call, whichever that is: no kernel may be looked
// up in a noexcept function, or on a thread, before a check has thrown it.
#include <gtest/gtest.h>

#if GTEST_HAS_DEATH_TEST && !defined(__EMSCRIPTEN__)

#include <tril/attention/attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/isa.h>
#include <tril/layers/activations.h>
#include <tril/layers/dropout.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/prepared_weights.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/softmax.h>
#include <tril/matmul/batched.h>
#include <tril/matmul/strassen.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>
#include <tril/model/trainer.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace tril {
namespace {

// Ends the process, with code 0 if each call throws the right error.
[[noreturn]] void call_all() {
  Scratch scratch;
  Parallel parallel(2);
  Buffer<float, 4> q({1, 2, 70, 8}), out(q.shape());
  Buffer<float, 3> x({1, 70, 8}), x_out(x.shape());
  Buffer<float, 2> a({70, 70}), b({70, 70}), c({70, 70}), in_proj({24, 8}), out_proj({8, 8});
  Buffer<float, 1> one({70});
  ModelConfig config;
  config.layers = 1, config.heads = 1, config.width = 8, config.context = 4, config.vocabulary = 9;
  LanguageModel model(config, 1);
  const std::int32_t tokens[] = {1, 2, 3, 4};
  const std::vector<std::pair<const char*, std::function<void()>>> calls = {
      {"matmul",
       [&] {
         matmul(a, b, {}, c, {scratch, parallel});
       }},
      {"strassen",
       [&] {
         matmul(a, b, {MatmulMethod::strassen}, c, {scratch, parallel});
       }},
      {"loops",
       [&] {
         matmul(a, b, {MatmulMethod::ijk}, c, {scratch, parallel});
       }},
      {"packed", [&] { PackedMatrix(a, false, parallel); }},
      {"strassen_levels", [&] { strassen_levels(70, 70, 70); }},
      {"strassen_workspace", [&] { strassen_workspace(1); }},
      {"linear",
       [&] {
         linear(a, b, one, c, {scratch, parallel});
       }},
      {"softmax", [&] { softmax(a, {}, c, parallel); }},
      {"layer_norm", [&] { layer_norm(a, one, one, {}, c, parallel); }},
      {"rms_norm", [&] { rms_norm(a, one, {}, c, parallel); }},
      {"relu", [&] { relu(a, c, parallel); }},
      {"add", [&] { add(a, b, c, parallel); }},
      {"attention",
       [&] {
         attention(q, q, q, {}, out, {scratch, parallel});
       }},
      {"linear_attention",
       [&] {
         linear_attention(q, q, q, {}, out, {scratch, parallel});
       }},
      {"multi_head_attention",
       [&] {
         MultiHeadWeights weights;
         weights.in_proj_weight = in_proj, weights.out_proj_weight = out_proj;
         multi_head_attention(x, weights, {.heads = 2}, x_out, {scratch, parallel});
       }},
      {"Trainer", [&] { Trainer(model, {}); }},
      {"logits",
       [&] {
         model.logits({tokens, {1, 4}}, {scratch, parallel});
       }},
      {"DecodingSession", [&] {
         DecodingSession(config, model.weights()).append(tokens, {scratch, parallel});
       }}};
  for (const auto& [name, call] : calls) {
    std::fprintf(stderr, "%s\n", name);  // the last name is that of the call that ended the process
    try {
      call();
    } catch (const Error& error) {
      if (error.call() == "TRIL_FORCE_ISA" && error.argument() == "nope") continue;
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::exit(1);
  }
  std::exit(0);
}

TEST(ForcedIsaDeathTest, IsRefusedByEachCall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has not chosen yet
  const char* const before = std::getenv("TRIL_FORCE_ISA");
  const std::string kept = before ? before : "";
  setenv("TRIL_FORCE_ISA", "nope", 1);
  EXPECT_EXIT(call_all(), testing::ExitedWithCode(0), "DecodingSession");
  setenv("TRIL_FORCE_ISA", kept.c_str(), 1);
}

}  // namespace
}  // namespace tril

#endif
