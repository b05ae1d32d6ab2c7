// Measures durations.
#pragma once

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#else
#include <chrono>
#endif

namespace tril::detail {

// Starts when it is constructed.
class Stopwatch {
 public:
  // Seconds since its construction, by a monotonic clock.
  double seconds() const noexcept { return now() - begin_; }

 private:
  static double now() noexcept {
#ifdef __EMSCRIPTEN__
    return emscripten_get_now() / 1000;  // libc++'s clock brings printf along, for its errors
#else
    using Seconds = std::chrono::duration<double>;
    return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
  }

  double begin_ = now();
};

}  // namespace tril::detail
