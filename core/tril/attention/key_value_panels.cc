#include <tril/attention/key_value_panels.h>
#include <tril/matmul/hidden_rows.h>

#include <algorithm>

namespace tril::detail {
namespace {

// The number of keys of a panel of values that are multiplied at once: 256 * 16 to 64 columns * 4 B
// = 16 to 64 KiB, which stays in the level-1 or level-2 cache for all rows.
constexpr Index kDepthBlock = 256;
// The number of keys, or values, read in place at once: 64 * 64 * 4 B = 16 KiB, which stay in the
// level-1 cache for the other rows that see them.
constexpr Index kKeysAtOnce = 64;

// The first run of `keys`. All runs end at the same keys, wherever they begin, so that sums do not
// depend on the other keys.
KeyRange first_run(KeyRange keys) noexcept {
  return {keys.first, std::min((keys.first / kKeysAtOnce + 1) * kKeysAtOnce, keys.last)};
}

bool covers(KeyRange whole, KeyRange part) noexcept {
  return whole.first <= part.first && part.last <= whole.last;
}

// Calls part(first_row, rows, range) once for all rows if each sees all of `range`; else for each
// kRowGroup rows, with the part of the range that any of them sees.
template <typename Part>
void by_rows(const VisibleKeys& visible, Index rows, KeyRange range, const Part& part) noexcept {
  if (covers(visible.all, range)) return part(0, rows, range);
  for (Index row = 0; row < rows; row += kRowGroup) {
    const Index count = std::min(kRowGroup, rows - row);
    const KeyRange seen = common(visible.of_rows(row, count), range);
    if (!seen.empty()) part(row, count, seen);
  }
}

}  // namespace

Index KeyValuePanels::size(const AttentionProblem& p) noexcept {
  const TileKernels& kernels = tile_kernels();
  return kernels.packed_count(p.depth(), p.keys()) +
         kernels.packed_count(p.keys(), p.value_width()) + 1;
}

KeyValuePanels::KeyValuePanels(const AttentionProblem& problem, float* memory) noexcept
    : problem_(problem),
      keys_(memory),
      values_(memory + kernels_.packed_count(problem.depth(), problem.keys())),
      finite_(memory + size(problem) - 1) {}

void KeyValuePanels::pack(Index batch, Index key_head) const noexcept {
  const MatrixView<const float> key = problem_.key[batch][key_head];
  const MatrixView<const float> value = problem_.value[batch][key_head];
  kernels_.pack_transposed(key.data(), key.stride(0), key.size(1), key.size(0), keys_);
  kernels_.pack(value.data(), value.stride(0), value.size(0), value.size(1), values_);
  const Index count = kernels_.packed_count(value.size(0), value.size(1));
  *finite_ = all_finite(values_, count) ? 1.0f : 0.0f;
  if (*finite_ == 0.0f) clear_not_finite(values_, count);
}

// for each run of panels that all rows see:  one product
// for each other panel, for each group of rows:  up to the last key that one of them sees
void KeyValuePanels::score(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
                           const ScoreBlock& scores) const noexcept {
  const MatrixView<const float> query = problem_.query[block.batch][block.head];
  const Index depth = query.size(1), panel_cols = kernels_.panel_cols;
  for (Index first = keys.first; first < keys.last;) {
    KeyRange panels = {first, std::min(first + panel_cols, keys.last)};
    while (panels.last < keys.last &&
           covers(visible.all, {first, std::min(panels.last + panel_cols, keys.last)})) {
      panels.last = std::min(panels.last + panel_cols, keys.last);
    }
    by_rows(visible, block.rows(), panels, [&](Index row, Index rows, KeyRange seen) {
      const KeyRange part = {first, whole_registers(seen, panels).last};
      const TileOutput to = {scores.at(row, first), scores.stride, problem_.scale};
      kernels_.multiply(query[block.first_query + row].data(), query.stride(0),
                        keys_ + first * depth, {rows, depth, part.size()}, &to, 1);
    });
    first = panels.last;
  }
}

// for each kDepthBlock keys, for each panel of values, for each group of rows
//   out's columns += weights of the visible keys * the panel's rows
void KeyValuePanels::add_values(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
                                const ScoreBlock& weights) const noexcept {
  const MatrixView<float> out = problem_.out[block.batch][block.head];
  const Index width = out.size(1), panel_cols = kernels_.panel_cols, all = problem_.keys();
  for (Index first = keys.first; first < keys.last; first += kDepthBlock) {
    const KeyRange run = {first, std::min(first + kDepthBlock, keys.last)};
    for (Index col = 0; col < width; col += panel_cols) {
      by_rows(visible, block.rows(), run, [&](Index row, Index rows, KeyRange seen) {
        const TileOutput to = {out[block.first_query + row].data() + col, out.stride(0), 1, true};
        kernels_.multiply(weights.at(row, seen.first), weights.stride,
                          values_ + col * all + seen.first * panel_cols,
                          {rows, seen.size(), std::min(panel_cols, width - col)}, &to, 1);
      });
    }
  }
  if (*finite_ == 1.0f) return;
  const MatrixView<const float> value = problem_.value[block.batch][problem_.key_head(block.head)];
  add_not_finite({value[keys.first].data(), {keys.size(), width}, {value.stride(0), 1}},
                 block.rows(),
                 {out[block.first_query].data(), {block.rows(), width}, {out.stride(0), 1}},
                 [&](Index row, Index key) noexcept {
                   const KeyRange seen = visible.rows[row];
                   key += keys.first;
                   return seen.first <= key && key < seen.last ? *weights.at(row, key) : 0.0f;
                 });
}

void KeyValuesInPlace::score(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
                             const ScoreBlock& scores) const noexcept {
  const MatrixView<const float> key = problem_.key[block.batch][problem_.key_head(block.head)];
  for (KeyRange run = first_run(keys); !run.empty(); run = first_run({run.last, keys.last})) {
    for (Index row = 0; row < block.rows(); ++row) {
      const KeyRange seen = whole_registers(common(visible.rows[row], run), run);
      if (seen.empty()) continue;
      const float* const query =
          problem_.query[block.batch][block.head_of(row)][block.query_of(row)].data();
      score_kernels().dot_keys(query, key[seen.first].data(), key.stride(0), key.size(1),
                               seen.size(), problem_.scale, scores.at(row, seen.first));
    }
  }
}

void KeyValuesInPlace::add_values(const QueryBlock& block, const VisibleKeys& visible,
                                  KeyRange keys, const ScoreBlock& weights) const noexcept {
  const MatrixView<const float> value = problem_.value[block.batch][problem_.key_head(block.head)];
  for (KeyRange run = first_run(keys); !run.empty(); run = first_run({run.last, keys.last})) {
    for (Index row = 0; row < block.rows(); ++row) {
      const KeyRange seen = common(visible.rows[row], run);
      if (seen.empty()) continue;
      score_kernels().add_values(
          weights.at(row, seen.first), value[seen.first].data(), value.stride(0), seen.size(),
          value.size(1), problem_.out[block.batch][block.head_of(row)][block.query_of(row)].data());
    }
  }
}

}  // namespace tril::detail
