#include "parameters.h"

#include <emscripten/bind.h>

namespace tril::js {

using emscripten::val;

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

Numbers to_javascript(const ModelLoss& loss) {
  return to_javascript(
      {loss.mean(), static_cast<double>(loss.counted), static_cast<double>(loss.correct)});
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

}  // namespace tril::js
