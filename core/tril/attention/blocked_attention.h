// Attention by blocks of queries that hold whole rows of scores: the methods `full` (one block a
// head) and `blocked` (64 queries a block). The only ones that can be traced.
#pragma once

#include <tril/attention/attention_problem.h>

namespace tril::detail {

// Takes its working memory before it writes anything: for each thread `queries` rows of S scores,
// and, unless there are very few queries, packed keys and values.
void blocked_attention(const AttentionProblem& problem, Index queries, const Context& context);

}  // namespace tril::detail
