// Losses and their gradients.
#include <emscripten/bind.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/mean_squared_error.h>

#include <cstdint>
#include <optional>
#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

EMSCRIPTEN_DECLARE_VAL_TYPE(Loss)

struct CrossEntropyOptions {
  int ignore;
  double label_smoothing;
  std::string reduction;  // "mean" or "sum"
  bool gradient;
};

using emscripten::val;

// logits [..., V], one target per row. Gives loss, counted and correct, and, if asked for, the
// gradient of the logits, unless `out` was written, which may be the logits themselves.
Loss cross_entropy(Engine& engine, const Tensor& logits, const Integers& targets,
                   const CrossEntropyOptions& options, Tensor* out) {
  constexpr const char* kCall = "cross_entropy";
  const auto classes = emscripten::convertJSArrayToNumberVector<std::int32_t>(targets);
  const tril::CrossEntropyOptions core{
      .reduction = value_named(kReductions, options.reduction, kCall, "reduction"),
      .ignore = options.ignore,
      .label_smoothing = options.label_smoothing};
  Results results(engine, kCall);
  MatrixView<float> gradient;
  std::optional<Output> output;
  if (options.gradient) {
    output.emplace(engine, out, logits.shape(), kCall);
    gradient = rows_of(**output);
    if (!out) results.add("gradient", output->handle());
  }
  const CrossEntropyResult found =
      tril::cross_entropy(rows_of(logits), view_of(classes), core, gradient, engine.context);
  val loss(results.hand_over());
  loss.set("loss", found.loss);
  loss.set("counted", static_cast<double>(found.counted));
  loss.set("correct", static_cast<double>(found.correct));
  return Loss(loss);
}

// Gives loss, and, if asked for, the gradient of x.
Loss mean_squared_error(Engine& engine, const Tensor& x, const Tensor& y,
                        const std::string& reduction, bool gradient) {
  constexpr const char* kCall = "mean_squared_error";
  const Reduction how = value_named(kReductions, reduction, kCall, "reduction");
  check_same_shape(y, x.shape(), kCall, "y", "x");
  Results results(engine, kCall);
  MatrixView<float> d_x;
  if (gradient) d_x = rows_of(results.make("gradient", x.shape()));
  val loss(val::object());
  const double found = tril::mean_squared_error(rows_of(x), rows_of(y), how, d_x, engine.context);
  if (gradient) loss = results.hand_over();
  loss.set("loss", found);
  return Loss(loss);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_losses) {
  using namespace emscripten;
  register_type<Loss>(
      "{ loss: number; counted: number; correct: number; gradient: _Tensor | undefined }");
  value_object<CrossEntropyOptions>("_CrossEntropyOptions")
      .field("ignore", &CrossEntropyOptions::ignore)
      .field("labelSmoothing", &CrossEntropyOptions::label_smoothing)
      .field("reduction", &CrossEntropyOptions::reduction)
      .field("gradient", &CrossEntropyOptions::gradient);
  function("_crossEntropy", guard<&cross_entropy>, allow_raw_pointers());
  function("_meanSquaredError", guard<&mean_squared_error>);
}

}  // namespace tril::js
