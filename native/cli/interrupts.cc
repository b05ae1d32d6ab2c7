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
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now;
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == from) std::signal(signal, to);
  }
}

}  // namespace

Interrupts::Interrupts() { replace(SIG_DFL, on_interrupt); }
Interrupts::~Interrupts() { replace(on_interrupt, SIG_DFL); }
bool Interrupts::any() noexcept { return interrupted != 0; }

}  // namespace tril::cli
