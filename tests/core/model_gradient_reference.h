// The gradients of a language model by its plain definition, with the bounds of floats.
#pragma once

#include <tril/model/language_model.h>

#include <cstdint>
#include <vector>

#include "core/model_reference.h"
#include "core/tape.h"

namespace tril::testing {

// The sum of the losses of batches of equal lengths, and then `scale` times its gradient: every
// `every`-th number of all parameters, ordered by name.
inline Values<Bounded> bounded_gradients(const LanguageModel& model, Index batches,
                                         const std::vector<std::int32_t>& ids,
                                         const std::vector<std::int32_t>& targets, double scale = 1,
                                         std::size_t every = 1) {
  Tape<double> rounding;
  Tape<Rounded> tape;
  auto tables = model_tables<Tracked<Rounded>>(model.config(), model.weights());
  std::vector<Table<Tracked<Rounded>>*> all;
  for (auto& [name, table] : tables) all.push_back(&table);
  Rounded loss;
  const auto slopes = tape.gradients(all, [&] {
    const ModelReference<Tracked<Rounded>> reference{model.config(), tables, batches,
                                                     static_cast<Index>(ids.size()) / batches};
    const Tracked<Rounded> sum = reference.loss(ids, targets);
    loss = sum.value;
    return Tracked<Rounded>(scale) * sum;
  });
  Values<Rounded> joined;
  for (const Values<Rounded>& each : slopes) joined.insert(joined.end(), each.begin(), each.end());
  Values<Rounded> results = sampled(joined, every);
  results.insert(results.begin(), loss);
  return rounding.bounded(results);
}

}  // namespace tril::testing
