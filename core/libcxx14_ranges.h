// The range algorithms of C++20 that libc++ 14 has not got yet, as far as they are used here:
// force-included there, and only there, into our own sources (CMakeLists.txt). Each is the
// algorithm for iterators, with a projection where it is asked for.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace std::ranges {

using greater = std::greater<>;
using less = std::less<>;

template <class T>
using tril_iterator = decltype(std::begin(std::declval<T&>()));

// What compares projected elements with one another, or with a value.
template <class Compare, class Projection>
auto tril_projected(Compare compare, Projection projection) {
  return [compare, projection](const auto& a, const auto& b) {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  };
}

template <class Range, class Predicate, class Projection = identity>
tril_iterator<Range> find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), [&](const auto& each) {
    return std::invoke(predicate, std::invoke(projection, each));
  });
}
template <class Range, class Value, class Projection = identity>
tril_iterator<Range> find(Range&& range, const Value& value, Projection projection = {}) {
  return find_if(
      range, [&](const auto& each) { return each == value; }, projection);
}
template <class Range, class Predicate, class Projection = identity>
bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return find_if(range, predicate, projection) != std::end(range);
}
template <class Range, class Predicate, class Projection = identity>
bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !any_of(range, predicate, projection);
}
template <class Range, class Predicate, class Projection = identity>
bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return none_of(range, std::not_fn(predicate), projection);
}
template <class Range, class Predicate>
auto count_if(Range&& range, Predicate predicate) {
  return std::count_if(std::begin(range), std::end(range), predicate);
}
template <class Range, class Value>
auto count(Range&& range, const Value& value) {
  return std::count(std::begin(range), std::end(range), value);
}
template <class Range, class Value>
void replace(Range&& range, const Value& old_value, const Value& new_value) {
  std::replace(std::begin(range), std::end(range), old_value, new_value);
}

template <class Range, class Out>
void copy(Range&& range, Out out) {
  std::copy(std::begin(range), std::end(range), out);
}
template <class In, class Size, class Out>
void copy_n(In in, Size size, Out out) {
  std::copy_n(in, size, out);
}
template <class Range, class Out, class Predicate>
void copy_if(Range&& range, Out out, Predicate predicate) {
  std::copy_if(std::begin(range), std::end(range), out, predicate);
}
template <class Range, class Value>
void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Out, class Function>
void transform(Range&& range, Out out, Function function) {
  std::transform(std::begin(range), std::end(range), out, function);
}
template <class Range>
void reverse(Range&& range) {
  std::reverse(std::begin(range), std::end(range));
}

template <class A, class B, class Equal = std::equal_to<>, class ProjectionA = identity,
          class ProjectionB = identity>
bool equal(A&& a, B&& b, Equal is_equal = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b),
                    [&](const auto& x, const auto& y) {
                      return std::invoke(is_equal, std::invoke(of_a, x), std::invoke(of_b, y));
                    });
}
template <class A, class B>
auto mismatch(A&& a, B&& b) {
  struct Result {
    tril_iterator<A> in1;
    tril_iterator<B> in2;
  };
  const auto [in1, in2] = std::mismatch(std::begin(a), std::end(a), std::begin(b), std::end(b));
  return Result{in1, in2};
}

template <class Range, class Compare = less, class Projection = identity>
void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
bool is_sorted(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::is_sorted(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Value, class Compare = less, class Projection = identity>
tril_iterator<Range> lower_bound(Range&& range, const Value& value, Compare compare = {},
                                 Projection projection = {}) {
  return std::partition_point(std::begin(range), std::end(range), [&](const auto& each) {
    return std::invoke(compare, std::invoke(projection, each), value);
  });
}
template <class Range, class Value, class Compare = less, class Projection = identity>
tril_iterator<Range> upper_bound(Range&& range, const Value& value, Compare compare = {},
                                 Projection projection = {}) {
  return std::partition_point(std::begin(range), std::end(range), [&](const auto& each) {
    return !std::invoke(compare, value, std::invoke(projection, each));
  });
}
template <class Range, class Value>
bool binary_search(Range&& range, const Value& value) {
  return std::binary_search(std::begin(range), std::end(range), value);
}
template <class Range, class Compare = less, class Projection = identity>
void make_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::make_heap(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
void push_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::push_heap(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
void pop_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::pop_heap(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
void sort_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort_heap(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
tril_iterator<Range> max_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range, class Compare = less, class Projection = identity>
tril_iterator<Range> min_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), tril_projected(compare, projection));
}
template <class Range>
auto minmax(Range&& range) {
  struct Result {
    std::iter_value_t<tril_iterator<Range>> min, max;
  };
  const auto [least, most] = std::minmax_element(std::begin(range), std::end(range));
  return Result{*least, *most};
}

}  // namespace std::ranges
