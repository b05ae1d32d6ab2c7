#include <tril/attention/attention_steps.h>

#include <cmath>
#include <limits>

namespace tril {

TRIL_DEFINE_DISPATCH(ScoreKernels, kScoreKernels, score_kernels)

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

float log_sum_exp(const SoftmaxState& state) noexcept {
  return state.sum == 0.0f ? kInfinity : state.maximum + std::log(state.sum);
}

namespace detail {
namespace {

float* out_row(const AttentionProblem& p, const QueryBlock& block, Index row) noexcept {
  return p.out[block.batch][block.head_of(row)][block.query_of(row)].data();
}

}  // namespace

// Rows of scores begin on cache lines, and no two rows of a tile at the same offset in a page,
// where they would evict each other from the level-1 cache.
BlockMemory BlockMemory::take(Scratch::Frame& frame, Index rows, Index keys, int threads) {
  constexpr Index kLine = 16;  // floats
  BlockMemory memory;
  memory.rows = rows;
  memory.stride = (keys + kLine - 1) / kLine * kLine + kLine;
  memory.scores = frame.take<float>(rows, memory.stride, threads);
  memory.visible = frame.take<KeyRange>(rows, threads);
  memory.states = frame.take<SoftmaxState>(rows, threads);
  memory.factors = frame.take<float>(rows, threads);
  return memory;
}

BlockMemory BlockMemory::of(int worker) const noexcept {
  BlockMemory memory = *this;
  memory.scores += worker * rows * stride;
  memory.visible += worker * rows;
  memory.states += worker * rows;
  memory.factors += worker * rows;
  return memory;
}

VisibleKeys visible_keys(const AttentionProblem& p, const QueryBlock& block,
                         KeyRange* memory) noexcept {
  const KeyRange keys = {0, p.keys()};
  VisibleKeys visible = {memory, {}, keys};
  for (Index row = 0; row < block.rows(); ++row) {
    memory[row] = p.mask.visible(block.of_row(row, keys));
    visible.all = common(visible.all, memory[row]);
  }
  visible.any = visible.of_rows(0, block.rows());
  return visible;
}

VisibleKeys all_keys(const AttentionProblem& p, const QueryBlock& block,
                     KeyRange* memory) noexcept {
  const KeyRange keys = {0, p.keys()};
  std::fill_n(memory, block.rows(), keys);
  return {memory, keys, keys};
}

bool any_visible(const AttentionProblem& p, const QueryBlock& block, KeyRange keys) noexcept {
  for (Index head = block.head; head < block.head + block.heads; ++head) {
    if (!p.mask.visible(block.of_head(head, keys)).empty()) return true;
  }
  return false;
}

void start_rows(const AttentionProblem& p, const QueryBlock& block, SoftmaxState* states) noexcept {
  for (Index row = 0; row < block.rows(); ++row) {
    states[row] = {-kInfinity, 0.0f};
    std::fill_n(out_row(p, block, row), p.value_width(), 0.0f);
  }
}

void cap_scores(const AttentionProblem& p, const VisibleKeys& visible, Index rows, KeyRange keys,
                const ScoreBlock& from, const ScoreBlock& to) noexcept {
  for (Index row = 0; row < rows; ++row) {
    const KeyRange seen = whole_registers(common(visible.rows[row], keys), keys);
    if (seen.empty()) continue;
    score_kernels().cap(from.at(row, seen.first), to.at(row, seen.first), seen.size(), p.softcap);
  }
}

void mask_scores(const AttentionProblem& p, const QueryBlock& block, KeyRange keys,
                 const ScoreBlock& scores) noexcept {
  for (Index head = 0; head < block.heads; ++head) {
    p.mask.apply(block.of_head(block.head + head, keys),
                 scores.at(head * block.queries(), keys.first), scores.stride);
  }
}

// for each kRowGroup rows
//   for each row:  exp of the keys it sees;  0 for other keys that the group sees
void online_softmax(const VisibleKeys& visible, Index rows, KeyRange keys, const ScoreBlock& scores,
                    const ScoreBlock& weights, SoftmaxState* states, float* factors) noexcept {
  const auto softmax = score_kernels().online_softmax;
  for (Index first = 0; first < rows; first += kRowGroup) {
    const Index last = std::min(first + kRowGroup, rows);
    const KeyRange group = common(visible.of_rows(first, last - first), keys);
    for (Index row = first; row < last; ++row) {
      factors[row] = 1.0f;
      if (group.empty()) continue;
      const KeyRange seen = whole_registers(common(visible.rows[row], keys), keys);
      if (seen.empty()) {
        std::fill_n(weights.at(row, group.first), group.size(), 0.0f);
        continue;
      }
      float* const first_weight = weights.at(row, seen.first);
      factors[row] = softmax(scores.at(row, seen.first), first_weight, seen.size(), states[row]);
      if (group.first < seen.first) std::fill(weights.at(row, group.first), first_weight, 0.0f);
      if (seen.last < group.last) {
        std::fill(weights.at(row, seen.last), weights.at(row, group.last), 0.0f);
      }
    }
  }
}

void drop_weights(const AttentionProblem& p, const QueryBlock& block, const VisibleKeys& visible,
                  KeyRange keys, const ScoreBlock& weights) noexcept {
  if (!p.dropout) return;
  for (Index row = 0; row < block.rows(); ++row) {
    const KeyRange seen = common(visible.rows[row], keys);
    if (seen.empty()) continue;
    float* const first = weights.at(row, seen.first);
    (*p.dropout)(first, first, p.row_of(block.batch, block.head_of(row), block.query_of(row)),
                 seen.first, seen.size());
  }
}

void rescale_rows(const AttentionProblem& p, const QueryBlock& block,
                  const float* factors) noexcept {
  for (Index row = 0; row < block.rows(); ++row) {
    if (factors[row] == 1.0f) continue;
    float* const out = out_row(p, block, row);
    score_kernels().scale(out, out, p.value_width(), factors[row]);
  }
}

void finish_rows(const AttentionProblem& p, const QueryBlock& block,
                 const SoftmaxState* states) noexcept {
  for (Index row = 0; row < block.rows(); ++row) {
    const SoftmaxState& state = states[row];
    if (p.trace.log_sum_exp) {
      p.trace.log_sum_exp[block.batch][block.head_of(row)][block.query_of(row)] =
          log_sum_exp(state);
    }
    if (state.sum == 0.0f) continue;
    float* const out = out_row(p, block, row);
    score_kernels().scale(out, out, p.value_width(), 1 / state.sum);
  }
}

}  // namespace detail
}  // namespace tril
