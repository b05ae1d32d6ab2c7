#include "parameters.h"

#include <emscripten/bind.h>

#include <algorithm>
#include <utility>

namespace tril::js {

using emscripten::val;

namespace {

// The parameter of that name.
const StoredParameter& parameter_named(const std::vector<StoredParameter>& stored,
                                       const std::string& name, const char* call,
                                       const char* argument) {
  const auto at = std::find_if(stored.begin(), stored.end(),
                               [&](const StoredParameter& each) { return each.name == name; });
  if (at == stored.end()) {
    fail(call, argument, {"there is no parameter ", name, "; the first is ", stored[0].name});
  }
  return *at;
}

}  // namespace

std::vector<std::int32_t> numbers_of(const Integers& integers) {
  return emscripten::convertJSArrayToNumberVector<std::int32_t>(integers);
}

Numbers to_javascript(std::initializer_list<double> numbers) {
  return Numbers(val::array(numbers.begin(), numbers.end()));
}

Integers to_javascript(const std::vector<std::int32_t>& numbers) {
  return Integers(
      val(emscripten::typed_memory_view(numbers.size(), numbers.data())).call<val>("slice"));
}

Numbers to_javascript(const TrainingStep& step) {
  return to_javascript({static_cast<double>(step.step), step.loss, step.gradient_norm,
                        step.learning_rate, step.seconds * 1000, static_cast<double>(step.tokens),
                        step.forward_seconds * 1000, step.backward_seconds * 1000,
                        step.optimizer_seconds * 1000});
}

Metadata pairs_of(const Names& settings) {
  const auto pairs = emscripten::vecFromJSArray<std::string>(settings);
  Metadata given;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) given[pairs[i]] = pairs[i + 1];
  return given;
}

Names to_javascript(const Metadata& settings) {
  std::vector<std::string> pairs;
  for (const auto& [name, text] : settings) {
    pairs.push_back(name);
    pairs.push_back(text);
  }
  return Names(val::array(pairs));
}

NamedTensors copies_of(Engine& engine, const std::vector<StoredParameter>& stored,
                       const Names& names, const char* call) {
  Results results(engine, call);
  const auto add = [&](const StoredParameter& each) {
    each.copy_to(results.make(each.name, each.shape).data());
  };
  const auto wanted = emscripten::vecFromJSArray<std::string>(names);
  for (const std::string& name : wanted) add(parameter_named(stored, name, call, "names"));
  if (wanted.empty()) std::for_each(stored.begin(), stored.end(), add);
  return results.hand_over();
}

void set_parameters(const std::vector<StoredParameter>& stored, const Names& names,
                    const NamedTensors& values) {
  constexpr const char* kCall = "setParameters";
  std::vector<std::pair<const StoredParameter*, const Tensor*>> moves;
  for (const std::string& name : emscripten::vecFromJSArray<std::string>(names)) {
    const StoredParameter& each = parameter_named(stored, name, kCall, "values");
    const Tensor& value = *named(values, name.c_str());
    if (value.shape() != each.shape) {
      fail(kCall, name.c_str(),
           {"must have the shape of the parameter, ",
            tril::shape_text(each.shape.data(), static_cast<int>(each.shape.size()))});
    }
    moves.emplace_back(&each, &value);
  }
  for (const auto& [each, value] : moves) each->copy_from(value->data());
}

}  // namespace tril::js
