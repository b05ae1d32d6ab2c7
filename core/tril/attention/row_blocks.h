// Attention by blocks of queries that hold whole rows of scores: the methods `full` (one block a
// head) and `blocked` (64 queries a block).
#pragma once

#include <tril/attention/problem.h>

namespace tril::detail {

// Takes its working memory before it writes anything: for each thread block * S floats of scores,
// and, unless there is one query only, the packed keys and values.
void attend_row_blocks(const AttentionProblem& problem, Index block, Scratch& scratch,
                       Parallel& parallel);

}  // namespace tril::detail
