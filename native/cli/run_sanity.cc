#include "run_sanity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "train_progress.h"

namespace tril::cli {

RunSanity::RunSanity(Index vocabulary)
    : guess_(std::log(static_cast<double>(vocabulary))),
      best_(std::numeric_limits<double>::infinity()),
      last_(guess_) {}

bool RunSanity::is_sane(double loss) {
  last_ = loss;
  if (!std::isfinite(loss)) return false;
  best_ = std::min(best_, loss);
  return loss <= best_ + std::max(std::numbers::ln2, (guess_ - best_) / 2);
}

std::string RunSanity::reason() const { return loss_text(last_) + ", and was " + loss_text(best_); }

}  // namespace tril::cli
