#include <tril/foundation/context.h>

namespace tril {
namespace {

Scratch& own_scratch() noexcept {
  thread_local Scratch scratch;
  return scratch;
}

Parallel& own_thread() noexcept {
  thread_local Parallel one(1);
  return one;
}

}  // namespace

Context::Context() noexcept : Context(own_thread()) {}
Context::Context(Parallel& threads) noexcept : Context(own_scratch(), threads) {}

}  // namespace tril
