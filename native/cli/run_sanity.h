// Whether a state of a model in training is worth keeping.
#pragma once

#include <tril/foundation/tensor.h>

#include <string>

namespace tril::cli {

// Training that diverges may continue for long before its loss is NaN. The loss is measured on the
// same windows of the texts each time, so that it depends on the parameters alone. A state is sane
// while that loss is finite and at most
//
//   best + max(ln 2, (ln vocabulary - best) / 2)
//
// where `best` is the lowest loss that this run has had, and ln(vocabulary) that of a model which
// knows nothing. A state beyond it has lost more than a bit a token, and more than half of what the
// best one had learned.
class RunSanity {
 public:
  explicit RunSanity(Index vocabulary);

  // Whether a state with this loss is sane. The loss counts for `best` from here on.
  bool is_sane(double loss);
  // "7.9121, and was 1.8803": for the state that was asked about last.
  std::string reason() const;

 private:
  double guess_, best_, last_;
};

}  // namespace tril::cli
