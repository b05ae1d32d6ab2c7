#include <tril/foundation/check.h>
#include <tril/foundation/thread_choice.h>

#include <algorithm>
#include <bit>

namespace tril {

ThreadChoice::ThreadChoice(int most) {
  if (most < 1) fail("ThreadChoice", "most", {"must be at least 1, is ", most});
  tried_.push_back({most, 0});
  auto fewer = static_cast<int>(std::bit_ceil(static_cast<unsigned>(most)) / 2);
  for (; fewer >= 1; fewer /= 2) tried_.push_back({fewer, 0});
}

void ThreadChoice::took(double work, double seconds) {
  Tried& now = tried_[at_];
  if (seconds > 0) now.rate = std::max(now.rate, work / seconds);
  if (--left_ > 0) return;
  if (is_chosen_) {  // all numbers are tried again
    for (Tried& each : tried_) each.rate = 0;
    at_ = 0;
  } else if (at_ + 1 < tried_.size()) {
    ++at_;
    left_ = kTries;
    return;
  } else {
    at_ = static_cast<std::size_t>(std::ranges::max_element(tried_, {}, &Tried::rate) -
                                   tried_.begin());
  }
  is_chosen_ = !is_chosen_;
  left_ = is_chosen_ ? kUses : kTries;
}

}  // namespace tril
