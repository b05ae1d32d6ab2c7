// The method behind online_attention.h, for problems that have been checked.
#pragma once

#include <tril/attention/online_attention.h>
#include <tril/attention/problem.h>

namespace tril::detail {

// Takes its working memory before it writes anything: the packed keys and values, and for each
// thread a block of scores and the state of its queries.
void attend_online(const AttentionProblem& problem, const OnlineBlocks& blocks, Scratch& scratch,
                   Parallel& parallel, const OnlineTrace& trace = {});

}  // namespace tril::detail
