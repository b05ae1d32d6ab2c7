#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/training/schedule.h>

#include <cmath>
#include <numbers>
#include <string>

namespace tril {

double scheduled_rate(const Schedule& schedule, std::int64_t step) {
  constexpr const char* kCall = "scheduled_rate";
  const auto& [highest, lowest, warmup, steps] = schedule;
  if (!(std::isfinite(highest) && highest > 0)) {
    fail(kCall, "learning_rate", {"must be finite and above 0, is ", highest});
  }
  if (!(lowest >= 0 && lowest <= highest)) {
    fail(kCall, "lowest", {"must be from 0 to the learning rate ", highest, ", is ", lowest});
  }
  if (warmup < 0) fail(kCall, "warmup", {"must be at least 0, is ", warmup});
  if (steps != 0 && steps < warmup) {
    fail(kCall, "steps", {"must be 0 or at least the ", warmup, " steps of warm-up, is ", steps});
  }
  if (step < 0) fail(kCall, "step", {"must be at least 0, is ", step});

  if (step < warmup) {
    return highest * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  }
  if (steps == 0) return highest;
  if (step >= steps) return lowest;
  const double passed = static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
  const double cosine = sine_and_cosine(std::numbers::pi * passed).cosine;
  return lowest + (highest - lowest) * (1 + cosine) / 2;
}

}  // namespace tril
