// The forward pass of a model, with its trace and with changes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "model.h"
#include "parameters.h"

namespace tril::js {

namespace {

// The JavaScript name of a member of a trace: "trace.resid_mid" becomes "residMid".
std::string in_javascript(std::string_view name) {
  name.remove_prefix(std::string_view("trace.").size());
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    result += name[i] == '_' ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
  }
  return result;
}

}  // namespace

ChangesWithValues changes_of(const ModelConfig& config, const Integers& changes,
                             const Floats& values) {
  enum { layer, head, attention, feed_forward, residual };
  ChangesWithValues made{emscripten::convertJSArrayToNumberVector<float>(values), {}};
  Interventions& all = made.changes;
  const std::vector<std::int32_t> parts = numbers_of(changes);
  const float* next = made.values.data();
  for (std::size_t n = 0; n + 4 < parts.size(); n += 5) {
    const Index kind = parts[n], at = parts[n + 1], number = parts[n + 2], position = parts[n + 3];
    const Index width = kind == head ? config.head_width() : config.width;
    VectorView<const float> value;
    if (parts[n + 4] != 0) {
      value = {next, {width}};
      next += width;
    }
    if (kind == layer) {
      all.without_layers.push_back(at);
    } else if (kind == head) {
      all.heads.push_back({at, number, position, value});
    } else if (kind == residual) {
      all.residual.push_back({at, position, value});
    } else {
      const LayerPart part = kind == attention ? LayerPart::attention : LayerPart::feed_forward;
      all.sublayers.push_back({at, part, position, value});
    }
  }
  return made;
}

NamedTensors model_forward(Model& model, const Integers& tokens, bool last, bool trace, bool lens,
                           bool scores, const Integers& given_changes, const Floats& values) {
  constexpr const char* kCall = "forward";
  Engine& engine = model.engine;
  const ModelConfig& config = model.model.parameters.config();
  const std::vector<std::int32_t> ids = numbers_of(tokens);
  const auto count = static_cast<Index>(ids.size());
  if (count == 0) fail(kCall, "tokens", "there are none");
  if (count > config.context) {
    fail(kCall, "tokens", {"are ", count, ", and the context is ", config.context});
  }
  const ChangesWithValues changed = changes_of(config, given_changes, values);
  check_interventions(config, changed.changes, kCall);
  DecodingSession session(model.model.parameters, count);
  session.set_changes(changed.changes);

  Results results(engine, kCall);
  // Makes a tensor of the view's shape. Three or more axes lose the first one, a batch of one
  // sequence.
  const auto make = [&](const std::string& name, auto& view) {
    const auto& shape = view.shape();
    const auto begin = shape.begin() + (shape.size() > 2 ? 1 : 0);
    view = {results.make(name, DynamicShape(begin, shape.end())).data(), shape};
  };
  const Shape<2> all_rows = {count, config.vocabulary};
  MatrixView<float> logits(nullptr, all_rows);
  Tensor* const row = last ? &results.make("logits", DynamicShape{config.vocabulary}) : nullptr;
  if (!last) make("logits", logits);
  ModelTrace wanted;
  if (trace) {
    SavedMemory shapes;
    wanted = model_trace(config, count, 0, shapes, {.scores = scores});
    make("embedded", wanted.embedded);
    for (std::size_t n = 0; n < wanted.layers.size(); ++n) {
      const std::string at = "layers." + std::to_string(n) + ".";
      ModelLayerTrace::for_each_member(
          [&](const char* name, auto& view) {
            if (view.count() > 0) make(at + in_javascript(name), view);
          },
          wanted.layers[n]);
    }
    make("lnFinal", wanted.ln_final);
  }
  if (last) {
    const VectorView<const float> found = session.append(ids, engine.context, wanted);
    std::copy_n(found.data(), found.size(0), row->data());
  } else {
    session.append(ids, logits, engine.context, wanted);
  }
  for (std::size_t n = 0; lens && n < wanted.layers.size(); ++n) {
    MatrixView<float> seen(nullptr, all_rows);
    make("layers." + std::to_string(n) + ".logits", seen);
    session.read_out(wanted.layers[n].resid_post, seen, engine.context);
  }
  return results.hand_over();
}

}  // namespace tril::js
