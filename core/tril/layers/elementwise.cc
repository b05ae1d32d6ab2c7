#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/loops.h>
#include <tril/layers/power.h>
#include <tril/layers/unchecked.h>

#include <algorithm>
#include <initializer_list>

namespace tril {
namespace {

using detail::kMostOperands, detail::LoopAxis, detail::LoopOffsets, detail::Loops;

// A kernel over rows, with one, two or three inputs.
class RowKernel {
 public:
  RowKernel(ArithmeticKernels::Map map) noexcept : map_(map) {}
  RowKernel(ArithmeticKernels::Pair pair) noexcept : pair_(pair) {}
  RowKernel(decltype(ArithmeticKernels::where) choice) noexcept : choice_(choice) {}

  void operator()(const RowInput* in, float* out, Index count) const noexcept {
    if (map_) return map_(in[0], out, count);
    if (pair_) return pair_(in[0], in[1], out, count);
    choice_(in[0], in[1], in[2], out, count);
  }

 private:
  ArithmeticKernels::Map map_ = nullptr;
  ArithmeticKernels::Pair pair_ = nullptr;
  decltype(ArithmeticKernels::where) choice_ = nullptr;
};

void copy_row(RowInput x, float* out, Index count) noexcept {
  if (x.step == 0) {
    std::fill_n(out, count, *x.data);
  } else if (x.data != out) {
    std::copy_n(x.data, count, out);
  }
}

// Elements of a row with gaps that are copied at once: 1 KiB per array.
constexpr Index kGathered = 256;

// for each part of the row:
//   gather each input that has gaps; out = kernel(inputs); scatter out if it has gaps
void run(const RowKernel& kernel, const LoopAxis& row, const float* const* in, std::size_t inputs,
         float* out, Index count) noexcept {
  float gathered[kMostOperands][kGathered];
  RowInput from[kMostOperands - 1];
  bool has_gaps = row.steps[0] != 1;
  for (std::size_t i = 0; i < inputs; ++i) {
    const Index step = row.steps[i + 1];
    if (step == 0) std::fill_n(gathered[i], RowInput::kRepeats, *in[i]);
    from[i] = {step == 0 ? gathered[i] : in[i], step};
    has_gaps = has_gaps || (step != 0 && step != 1);
  }
  if (!has_gaps) return kernel(from, out, count);
  for (Index first = 0; first < count; first += kGathered) {
    const Index part = std::min(kGathered, count - first);
    for (std::size_t i = 0; i < inputs; ++i) {
      const Index step = row.steps[i + 1];
      if (step == 0) continue;
      from[i] = step == 1 ? in[i] + first : gathered[i];
      if (step == 1) continue;
      for (Index n = 0; n < part; ++n) gathered[i][n] = in[i][(first + n) * step];
    }
    if (row.steps[0] == 1) {
      kernel(from, out + first, part);
      continue;
    }
    float* const result = gathered[kMostOperands - 1];
    kernel(from, result, part);
    for (Index n = 0; n < part; ++n) out[(first + n) * row.steps[0]] = result[n];
  }
}

// for each run of at most kElementsPerItem neighbours: out = kernel(inputs)
void apply(const RowKernel& kernel, std::initializer_list<AnyView<const float>> inputs,
           const AnyView<float>& out, const Context& context) {
  AnyView<const float> views[kMostOperands] = {out};
  std::copy(inputs.begin(), inputs.end(), views + 1);
  const Loops loops(out.shape, {views[0], views[1], views[2], views[3]});
  const LoopAxis row = loops.inner();
  const Index pieces = (row.size + kElementsPerItem - 1) / kElementsPerItem;  // per row
  for_row_ranges(loops.rows() * pieces, std::min(row.size, kElementsPerItem), context,
                 [&](Index first, Index last) {
                   LoopOffsets offsets(loops, first / pieces);
                   for (Index item = first; item < last; ++item) {
                     const Index begin = item % pieces * kElementsPerItem;
                     const float* in[kMostOperands - 1] = {};
                     for (std::size_t i = 1; i <= inputs.size(); ++i) {
                       in[i - 1] = views[i].data + offsets[i] + begin * row.steps[i];
                     }
                     run(kernel, row, in, inputs.size(),
                         out.data + offsets[0] + begin * row.steps[0],
                         std::min(kElementsPerItem, row.size - begin));
                     if ((item + 1) % pieces == 0) offsets.next_row();
                   }
                 });
}

void check_out(const char* call, const AnyShape& shape, const AnyView<float>& out,
               const Message& inputs) {
  check_strided(out, call, "out");
  if (out.shape != shape) {
    fail(call, "out", {"shape must be ", shape, ", is ", out.shape, "; ", inputs});
  }
}

RowKernel kernel_of(Binary operation) noexcept {
  return operation == Binary::power ? &detail::power_row : arithmetic_kernels().of(operation);
}

}  // namespace

TRIL_DEFINE_DISPATCH(ArithmeticKernels, kArithmeticKernels, arithmetic_kernels)

void unary(Unary operation, const AnyView<const float>& x, const AnyView<float>& out,
           const Context& context) {
  const char* const call = name_of(kUnary, operation).data();
  if (!call) fail("unary", "operation", "is none of exp, log, sqrt, abs, negate, tanh");
  check_strided(x, call, "x");
  check_out(call, x.shape, out, {"x is ", x.shape});
  check_in_place(out, x, call, "out");
  apply(arithmetic_kernels().of(operation), {x}, out, context);
}

void binary(Binary operation, const AnyView<const float>& x, const AnyView<const float>& y,
            const AnyView<float>& out, const Context& context) {
  const char* const call = name_of(kBinary, operation).data();
  if (!call) fail("binary", "operation", "is none of add, subtract, ..., power");
  check_strided(x, call, "x");
  check_strided(y, call, "y");
  const AnyShape shape = broadcast_shape(x.shape, y.shape, call);
  check_out(call, shape, out, {"x is ", x.shape, ", y is ", y.shape});
  check_in_place(out, x, call, "out");
  check_in_place(out, y, call, "out");
  apply(kernel_of(operation), {x, y}, out, context);
}

AnyShape where_shape(const AnyShape& condition, const AnyShape& x, const AnyShape& y) {
  const auto shape = broadcast_shape(condition, broadcast_shape(x, y, "where"));
  if (!shape) {
    fail("where", "condition",
         {"does not broadcast with x and y; condition is ", condition, ", x is ", x, ", y is ", y});
  }
  return *shape;
}

void where(const AnyView<const float>& condition, const AnyView<const float>& x,
           const AnyView<const float>& y, const AnyView<float>& out, const Context& context) {
  constexpr const char* kCall = "where";
  check_strided(condition, kCall, "condition");
  check_strided(x, kCall, "x");
  check_strided(y, kCall, "y");
  const AnyShape shape = where_shape(condition.shape, x.shape, y.shape);
  check_out(kCall, shape, out,
            {"condition is ", condition.shape, ", x is ", x.shape, ", y is ", y.shape});
  check_in_place(out, condition, kCall, "out");
  check_in_place(out, x, kCall, "out");
  check_in_place(out, y, kCall, "out");
  apply(arithmetic_kernels().where, {condition, x, y}, out, context);
}

void copy(const AnyView<const float>& x, const AnyView<float>& out, const Context& context) {
  constexpr const char* kCall = "copy";
  check_strided(x, kCall, "x");
  check_strided(out, kCall, "out");
  if (broadcast_shape(x.shape, out.shape) != out.shape) {
    fail(kCall, "x", {"does not broadcast to the shape of out, ", out.shape, "; x is ", x.shape});
  }
  check_in_place(out, x, kCall, "out");
  detail::run_copy(x, out, context);
}

void add(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
         const Context& context) {
  binary(Binary::add, x, y, out, context);
}

void subtract(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, const Context& context) {
  binary(Binary::subtract, x, y, out, context);
}

void multiply(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, const Context& context) {
  binary(Binary::multiply, x, y, out, context);
}

void divide(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
            const Context& context) {
  binary(Binary::divide, x, y, out, context);
}

void detail::run_add(const AnyView<const float>& x, const AnyView<const float>& y,
                     const AnyView<float>& out, const Context& context) {
  apply(arithmetic_kernels().of(Binary::add), {x, y}, out, context);
}

void detail::run_copy(const AnyView<const float>& x, const AnyView<float>& out,
                      const Context& context) {
  apply(&copy_row, {x}, out, context);
}

}  // namespace tril
