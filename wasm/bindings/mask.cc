#include "mask.h"

#include <emscripten/bind.h>

#include <optional>
#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

using emscripten::val;

std::optional<Index> optional_index(const val& value) {
  if (value.isUndefined()) return std::nullopt;
  return value.as<Index>();
}

// The shape as four axes, aligned at the last axis as in broadcasting.
Shape<4> as_scores(const Tensor& tensor, const char* call) {
  if (tensor.rank() > 4) {
    fail(call, "mask", {"at most four axes, [B, H, T, S]; a dense mask is ", tensor});
  }
  Shape<4> shape{1, 1, 1, 1};
  for (int axis = 1; axis <= tensor.rank(); ++axis) {
    shape[static_cast<std::size_t>(4 - axis)] = tensor.size(-axis);
  }
  return shape;
}

}  // namespace

MaskArgument::MaskArgument(const MaskRules& rules, const char* call) {
  const auto count = rules["length"].as<unsigned>();
  visible_.reserve(count);
  for (unsigned i = 0; i < count; ++i) mask_ = mask_ & rule(rules[i], call);
}

Mask MaskArgument::rule(const val& rule, const char* call) {
  const MaskKind kind =
      value_named(kMaskKinds, rule["kind"].as<std::string>(), call, "mask", "kind");
  switch (kind) {
    case MaskKind::causal:
      return Mask::causal();
    case MaskKind::window:
      return Mask::window(optional_index(rule["left"]), optional_index(rule["right"]));
    case MaskKind::strided:
      return Mask::strided(rule["local"].as<Index>(), rule["stride"].as<Index>());
    case MaskKind::padding:
      return Mask::padding(shape_from(rule["lengths"].as<Numbers>()));
    case MaskKind::additive:
    case MaskKind::boolean:
      break;
  }
  const auto& tensor = *rule["tensor"].as<Tensor*>(emscripten::allow_raw_pointers());
  const Shape<4> shape = as_scores(tensor, call);
  const FewerKeys fewer_keys =
      rule["allowFewerKeys"].as<bool>() ? FewerKeys::hidden : FewerKeys::refused;
  if (kind == MaskKind::additive) return Mask::additive({tensor.data(), shape}, fewer_keys);
  std::vector<std::uint8_t>& visible = visible_.emplace_back();
  visible.reserve(static_cast<std::size_t>(tensor.count()));
  for (Index i = 0; i < tensor.count(); ++i) visible.push_back(tensor.data()[i] != 0);
  return Mask::boolean({view_of(visible).data(), shape}, fewer_keys);
}

namespace {

// Gives the values that the mask adds to scores of that shape, of two to four axes, whose query 0
// is key `past`.
TensorHandle mask_tensor(Engine& engine, const MaskRules& rules, const Numbers& shape, int past) {
  constexpr const char* kCall = "mask_values";
  const MaskArgument mask(rules, kCall);
  TensorHandle out = std::make_shared<Tensor>(engine, shape_from(shape), kCall);
  mask_values(mask.mask(), past, {out->data(), as_scores(*out, kCall)});
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_mask) {
  using namespace emscripten;
  register_type<MaskRules>("{ kind: string }[]");
  function("_maskTensor", guard<&mask_tensor>, allow_raw_pointers());
}

}  // namespace tril::js
