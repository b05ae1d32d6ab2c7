#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/cross_entropy.h>
#include <tril/model/batches.h>
#include <tril/model/model_loss.h>

#include <cmath>

namespace tril::detail {

void check_ids(const char* call, const char* name, const MatrixView<const std::int32_t>& ids,
               Index vocabulary, bool ignored) {
  if (!ids.is_contiguous()) fail(call, name, "rows must follow each other without gaps");
  for (Index i = 0; i < ids.count(); ++i) {
    const std::int32_t id = ids.data()[i];
    if ((id >= 0 && id < vocabulary) || (ignored && id == kIgnoredTarget)) continue;
    fail(call, name,
         {id, " at [", i / ids.size(1), ", ", i % ids.size(1), "] is outside the vocabulary (0..",
          vocabulary - 1, ")"});
  }
}

void check_gradient_options(const char* call, const ModelGradientOptions& options) {
  if (!std::isfinite(options.scale)) fail(call, "scale", {"must be finite, is ", options.scale});
  if (options.first_sequence < 0) {
    fail(call, "first_sequence", {"must be at least 0, is ", options.first_sequence});
  }
}

ModelLoss loss_of(const MatrixView<const float>& logits,
                  const MatrixView<const std::int32_t>& labels, const Context& context) {
  const CrossEntropyResult result =
      cross_entropy(logits, joined_rows(labels), {.reduction = Reduction::sum}, {}, context);
  return {result.loss, result.counted, result.correct};
}

ModelLoss loss_and_gradient(const MatrixView<float>& logits,
                            const MatrixView<const std::int32_t>& labels, double scale,
                            const Context& context) {
  const CrossEntropyResult result =
      cross_entropy(logits, joined_rows(labels),
                    {.reduction = Reduction::sum, .gradient_scale = scale}, logits, context);
  return {result.loss, result.counted, result.correct};
}

}  // namespace tril::detail
