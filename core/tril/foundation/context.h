// The resources of a computation: working memory and threads. It is an optional argument of every
// function that computes, the last one except for the trace:
//
//   softmax(x, out);                      // on the calling thread
//   Parallel threads(4);
//   softmax(x, out, threads);             // on four
//   softmax(x, out, {scratch, threads});  // with working memory whose size you want to know
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>

namespace tril {

// Borrows both: they must outlive the calls that use it.
struct Context {
  Scratch& scratch;    // working memory
  Parallel& parallel;  // threads

  // The calling thread alone, with the working memory of this thread, which is kept for its next
  // call and freed when the thread ends.
  Context() noexcept;
  // These threads, with the working memory of the calling thread.
  Context(Parallel& threads) noexcept;
  Context(Scratch& memory, Parallel& threads) noexcept : scratch(memory), parallel(threads) {}
};

}  // namespace tril
