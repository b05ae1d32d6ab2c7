#include <tril/foundation/exp.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/lanes.h>
#include <tril/layers/log.h>
#include <tril/layers/tanh.h>

#include <functional>

namespace tril::TRIL_ISA {
namespace {

static_assert(kLanes <= RowInput::kRepeats);

struct Exp {
  Register operator()(Register x) const noexcept { return exp(x); }
};

struct Log {
  Register operator()(Register x) const noexcept { return log(x); }
};

struct Sqrt {
  Register operator()(Register x) const noexcept { return sqrt(x); }
};

// Clears the sign bit.
struct Abs {
  Register operator()(Register x) const noexcept { return (Register)((IntRegister)x & 0x7fffffff); }
};

struct Tanh {
  Register operator()(Register x) const noexcept { return tanh(x); }
};

// NaN where either input is.
struct Maximum {
  Register operator()(Register x, Register y) const noexcept {
    return select(x != x, x, max(x, y));
  }
};

struct Minimum {
  Register operator()(Register x, Register y) const noexcept {
    return select(x != x, x, min(x, y));
  }
};

// 1 where the comparison holds, else 0.
template <typename Holds>
struct Comparison {
  Register operator()(Register x, Register y) const noexcept {
    return select(Holds()(x, y), broadcast(1.0f), Register{});
  }
};

// The last register, perhaps partial, goes through the same loop, so that a module contains each
// function once.
template <typename Op>
void map(RowInput x, float* out, Index count) noexcept {
  for (Index i = 0; i < count; i += kLanes) {
    const Index left = count - i;
    const bool whole = left >= kLanes;
    const Register value = Op()(whole ? load(x.at(i)) : load_part(x.at(i), left, 0.0f));
    whole ? store(out + i, value) : store_part(out + i, value, left);
  }
}

template <typename Op>
void pair(RowInput x, RowInput y, float* out, Index count) noexcept {
  for_each_register(count, [=](Index i, auto lanes) {
    lanes.put(out + i, Op()(lanes.get(x.at(i)), lanes.get(y.at(i))));
  });
}

void where(RowInput condition, RowInput x, RowInput y, float* out, Index count) noexcept {
  for_each_register(count, [=](Index i, auto lanes) {
    const Register otherwise = lanes.get(y.at(i));
    lanes.put(out + i,
              select(lanes.get(condition.at(i)) == Register{}, otherwise, lanes.get(x.at(i))));
  });
}

}  // namespace

// The kernels, in the order of operations.h.
extern const ArithmeticKernels kArithmeticKernels;
const ArithmeticKernels kArithmeticKernels{
    {map<Exp>, map<Log>, map<Sqrt>, map<Abs>, map<std::negate<>>, map<Tanh>},
    {pair<std::plus<>>, pair<std::minus<>>, pair<std::multiplies<>>, pair<std::divides<>>,
     pair<Maximum>, pair<Minimum>, pair<Comparison<std::equal_to<>>>,
     pair<Comparison<std::not_equal_to<>>>, pair<Comparison<std::less<>>>,
     pair<Comparison<std::less_equal<>>>, pair<Comparison<std::greater<>>>,
     pair<Comparison<std::greater_equal<>>>},
    where};

}  // namespace tril::TRIL_ISA
