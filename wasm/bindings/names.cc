#include "names.h"

#include <emscripten/bind.h>
#include <tril/attention/attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/triangular.h>
#include <tril/block/layer.h>
#include <tril/layers/activations.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/rotary_positions.h>
#include <tril/lessons/readings.h>
#include <tril/lessons/running_average.h>
#include <tril/matmul/matmul.h>

#include "guard.h"

namespace tril::js {

namespace {

// The names of a kind of option, such as "matmulMethod". Throws Error for an unknown kind.
Names option_names(const std::string& kind) {
  if (kind == "matmulMethod") return names_in(kMatmulMethods);
  if (kind == "attentionMethod") return names_in(kAttentionMethods);
  if (kind == "activation") return names_in(kActivations);
  if (kind == "averageMethod") return names_in(kAverageMethods);
  if (kind == "featureMap") return names_in(kFeatureMaps);
  if (kind == "maskKind") return names_in(kMaskKinds);
  if (kind == "normOrder") return names_in(kNormOrders);
  if (kind == "productOrder") return names_in(kProductOrders);
  if (kind == "reading") return names_in(kReadings);
  if (kind == "reduction") return names_in(kReductions);
  if (kind == "rotaryPairs") return names_in(kRotaryPairs);
  if (kind == "triangle") return names_in(kTriangles);
  fail("option_names", "kind", {"there is no \"", kind, "\""});
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_names) {
  using namespace emscripten;
  function("_optionNames", guard<&option_names>);
}

}  // namespace tril::js
