// Attention by blocks of queries that hold whole rows of scores: the methods `full` (one block a
// head) and `blocked` (64 queries a block). Only these two can trace scores and weights.
#pragma once

#include <tril/attention/attention_problem.h>

namespace tril::detail {

// Takes all working memory before it writes anything: `queries` rows of S scores for each thread,
// and packed keys and values unless there are very few queries.
void blocked_attention(const AttentionProblem& problem, Index queries, const Context& context);

}  // namespace tril::detail
