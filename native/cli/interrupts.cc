#include "interrupts.h"

#include <csignal>

namespace tril::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

using Handler = void (*)(int);

void replace(Handler from, Handler to) {
  constexpr int kSignals[] = {
      SIGINT,
      SIGTERM,
#ifdef SIGHUP  // Windows has none
      SIGHUP,
#endif
  };
  for (const int signal : kSignals) {
    const Handler now = std::signal(signal, to);
    if (now != from) std::signal(signal, now);
  }
}

}  // namespace

Interrupts::Interrupts() { replace(SIG_DFL, on_interrupt); }
Interrupts::~Interrupts() { replace(on_interrupt, SIG_DFL); }
bool Interrupts::any() noexcept { return interrupted != 0; }

}  // namespace tril::cli
