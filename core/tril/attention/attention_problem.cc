#include <tril/attention/attention_problem.h>
#include <tril/matmul/tile_kernels.h>

#include <cmath>

namespace tril::detail {

void check_inputs(const char* call, TensorView<const float, 4> query,
                  TensorView<const float, 4> key, TensorView<const float, 4> value) {
  const auto check = [&](const TensorView<const float, 4>& view, const char* name) {
    check_view(view, call, name, empty_but_wide(view));
  };
  check(query, "query");
  check(key, "key");
  check(value, "value");
  const Message why{"; query is ", query, ", key is ", key, ", value is ", value};
  if (key.size(0) != query.size(0)) fail(call, "key", {"must have as many batches as query", why});
  if (key.size(3) != query.size(3)) fail(call, "key", {"must be as wide as query", why});
  if (key.size(1) == 0 ? query.size(1) != 0 : query.size(1) % key.size(1) != 0) {
    fail(call, "key", {"its number of heads must divide that of query", why});
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (value.size(axis) != key.size(axis)) {
      fail(call, "value", {"must have the batches, heads and length of key", why});
    }
  }
}

void check_options(const char* call, const AttentionOptions& options, const Shape<4>& scores) {
  const Index batches = scores[0], keys = scores[3];
  if (options.method < AttentionMethod::automatic || options.method > AttentionMethod::online) {
    fail(call, "method",
         {"must be automatic, full, blocked or online (0 to 3), is ",
          static_cast<int>(options.method)});
  }
  options.mask.check(scores, call);
  if (options.scale && !std::isfinite(*options.scale)) {
    fail(call, "scale", {"must be finite, is ", *options.scale});
  }
  if (!(std::isfinite(options.softcap) && options.softcap >= 0)) {
    fail(call, "softcap", {"must be finite and not negative, is ", options.softcap});
  }
  if (options.dropout) check_dropout(*options.dropout, call);
  if (options.past < 0 || options.past > keys) {
    fail(call, "past", {"must be from 0 to the ", keys, " keys, is ", options.past});
  }
  if (options.key_lengths.empty()) return;
  if (options.past != 0) fail(call, "key_lengths", "past and key lengths cannot both be given");
  if (static_cast<Index>(options.key_lengths.size()) != batches) {
    fail(call, "key_lengths", {options.key_lengths.size(), " lengths for ", batches, " batches"});
  }
  for (const Index length : options.key_lengths) {
    if (length < 0 || length > keys) {
      fail(call, "key_lengths", {"must be from 0 to the ", keys, " keys, one is ", length});
    }
  }
}

bool below_parallel_threshold(double scores, Index multiplications) noexcept {
  // The softmax of a score takes about as many register operations: some 10 for e^x, and a few for
  // scale, mask, maximum and sum.
  constexpr Index kSoftmax = 16;
  return scores * static_cast<double>(multiplications + kSoftmax) <
         static_cast<double>(tile_kernels().parallel_from);
}

Mask whole_mask(const AttentionOptions& options) {
  Mask mask = options.mask;
  if (options.causal) mask = Mask::causal() & mask;
  if (!options.key_lengths.empty()) mask = Mask::padding(options.key_lengths) & mask;
  return mask;
}

void check_traceable(const char* call, AttentionMethod method, const AttentionTrace& trace) {
  if (method != AttentionMethod::online || !wants_scores(trace)) return;
  fail(call, "trace", "the method online never holds a whole row of scores; full and blocked do");
}

AttentionFormula attention_formula(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options) {
  const double depth = static_cast<double>(query.size(3));
  AttentionFormula formula;
  formula.query = query;
  formula.key = key;
  formula.value = value;
  formula.mask = whole_mask(options);
  formula.scale = options.scale.value_or(static_cast<float>(1 / std::sqrt(depth)));
  formula.softcap = options.softcap;
  formula.past = options.past;
  formula.key_lengths = options.key_lengths;
  if (options.dropout) formula.dropout.emplace(*options.dropout);
  return formula;
}

AttentionProblem attention_problem(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options, const TensorView<float, 4>& out,
                                   const AttentionTrace& trace) {
  return {attention_formula(query, key, value, options), options.method, out, trace};
}

AttentionProblem checked_attention_problem(const char* call, TensorView<const float, 4> query,
                                           TensorView<const float, 4> key,
                                           TensorView<const float, 4> value,
                                           const AttentionOptions& options,
                                           TensorView<float, 4> out, const AttentionTrace& trace) {
  check_inputs(call, query, key, value);
  const Shape<4> scores = {query.size(0), query.size(1), query.size(2), key.size(2)};
  check_options(call, options, scores);
  check_traceable(call, options.method, trace);
  check_written(call, scores, value.size(3), out, trace,
                {"query is ", query, ", key is ", key, ", value is ", value}, query, key, value,
                options.mask);
  return attention_problem(query, key, value, options, out, trace);
}

}  // namespace tril::detail
