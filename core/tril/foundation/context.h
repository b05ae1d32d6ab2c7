// What a computation works with: memory that is lent to it, and threads. The last argument of
// whatever computes, but for the trace to fill, and it may be left out:
//
//   softmax(x, out);                      // on the calling thread
//   Parallel threads(4);
//   softmax(x, out, threads);             // on four
//   softmax(x, out, {scratch, threads});  // with working memory whose size you want to know
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>

namespace tril {

// Borrows both: they must outlive the call that it is handed to.
struct Context {
  Scratch& scratch;    // working memory, lent
  Parallel& parallel;  // threads

  // The calling thread alone, and the working memory of this thread, which is kept for its next
  // call and returned when the thread ends.
  Context() noexcept;
  // These threads, and the working memory of the calling thread.
  Context(Parallel& threads) noexcept;
  Context(Scratch& memory, Parallel& threads) noexcept : scratch(memory), parallel(threads) {}
};

}  // namespace tril
