// Visits the parameters of a layer, a block or a model, by PyTorch's names and in PyTorch's order.
// Files, counting, packing, gradients and JavaScript share this.
//
// A struct of weights is a template on its element, so that gradients and moments are structs of
// the same form, and names its members once:
//
//     template <typename T>
//     struct BasicLinearWeights {
//       MatrixView<T> weight = {};
//       VectorView<T> bias = {};
//
//       template <typename Visit, typename... Structs>
//       static void for_each_member(const Visit& visit, Structs&... each) {
//         visit("weight", each.weight...);
//         visit("bias", each.bias...);
//       }
//     };
//
// A member is a view, another such struct, a std::vector of them (its elements are named 0, 1,
// ...), or a std::optional of one.
#pragma once

#include <tril/foundation/tensor.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tril {

// A name such as "layers.3.linear1.weight", composed only when its text is needed.
class ParameterName {
 public:
  // The root, which has no name.
  constexpr ParameterName() noexcept = default;
  // A member of `parent`, which must outlive it.
  constexpr ParameterName(const ParameterName& parent, const char* member) noexcept
      : parent_(&parent), member_(member) {}
  // Element `number` of the list `parent`.
  constexpr ParameterName(const ParameterName& parent, std::size_t number) noexcept
      : parent_(&parent), number_(number) {}

  // The parts, joined by dots.
  std::string text() const {
    if (!parent_) return {};
    std::string text = parent_->text();
    if (!text.empty()) text += '.';
    return text += member_ ? member_ : std::to_string(number_);
  }

 private:
  const ParameterName* parent_ = nullptr;
  const char* member_ = nullptr;  // null: number_ is used
  std::size_t number_ = 0;
};

namespace detail {

template <typename T>
inline constexpr bool kIsView = false;
template <typename T, int Rank>
inline constexpr bool kIsView<TensorView<T, Rank>> = true;
template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <typename Visit, typename First, typename... Rest>
void walk_parameters(const ParameterName& name, const Visit& visit, First& first, Rest&... rest) {
  using Form = std::remove_const_t<First>;
  if constexpr (kIsView<Form>) {
    visit(name, first, rest...);
  } else if constexpr (kIsList<Form>) {
    for (std::size_t n = 0; n < first.size(); ++n) {
      walk_parameters(ParameterName(name, n), visit, first[n], rest[n]...);
    }
  } else if constexpr (kIsOptional<Form>) {
    if (first) walk_parameters(name, visit, *first, *rest...);
  } else {
    First::for_each_member(
        [&](const char* member, auto&... members) {
          walk_parameters(ParameterName(name, member), visit, members...);
        },
        first, rest...);
  }
}

template <typename Weights, typename Find>
Index find_members(const ParameterName& name, Weights& weights, const Find& find) {
  Index found = 0;
  if constexpr (kIsView<Weights>) {
    found = find(name, weights) ? 1 : 0;
  } else if constexpr (kIsList<Weights>) {
    for (;;) {
      typename Weights::value_type element{};
      const Index in_it = find_members(ParameterName(name, weights.size()), element, find);
      if (in_it == 0) break;
      found += in_it;
      weights.push_back(std::move(element));
    }
  } else if constexpr (kIsOptional<Weights>) {
    typename Weights::value_type value{};
    found = find_members(name, value, find);
    if (found > 0) weights = std::move(value);
  } else {
    Weights::for_each_member(
        [&](const char* member, auto& part) {
          found += find_members(ParameterName(name, member), part, find);
        },
        weights);
  }
  return found;
}

template <typename To, typename From>
void copy_form(To& to, const From& from) {
  if constexpr (kIsList<From>) {
    to.resize(from.size());
    for (std::size_t n = 0; n < from.size(); ++n) copy_form(to[n], from[n]);
  } else if constexpr (kIsOptional<From>) {
    if (from) copy_form(to.emplace(), *from);
  } else if constexpr (!kIsView<From>) {
    From::for_each_member([](const char*, auto& a, const auto& b) { copy_form(a, b); }, to, from);
  }
}

}  // namespace detail

// Calls visit(name, view) for every parameter. `name` is a ParameterName, `view` a TensorView of
// the parameter's rank, const where `weights` is. A missing parameter is visited, too, as a null
// view.
template <typename Weights, typename Visit>
void for_each_parameter(Weights& weights, const Visit& visit) {
  detail::walk_parameters(ParameterName(), visit, weights);
}

// The same for several structs of one form at once: visit(name, view, view, ...). All must have the
// list lengths of the first, and its optional members.
template <typename Visit, typename First, typename... Rest>
void zip_parameters(const Visit& visit, First& first, Rest&... rest) {
  detail::walk_parameters(ParameterName(), visit, first, rest...);
}

// Fills an empty struct: find(name, view) sets the view and returns true, or returns false where
// there is no such parameter. A list grows while a parameter of its next element is found; an
// optional member is set where one of its parameters is found. Returns the number of parameters
// found.
template <typename Weights, typename Find>
Index find_parameters(Weights& weights, const Find& find) {
  return detail::find_members(ParameterName(), weights, find);
}

// The number of elements of all given parameters.
template <typename Weights>
Index parameter_count(const Weights& weights) {
  Index count = 0;
  for_each_parameter(weights, [&](const ParameterName&, const auto& view) {
    if (view) count += view.count();
  });
  return count;
}

// The same parameters as a struct of another element type: converts writable weights to readable
// ones.
//
//     const LinearWeights weights = parameters_as<LinearWeights>(trained);
template <typename Result, typename Weights>
Result parameters_as(const Weights& weights) {
  Result result{};
  detail::copy_form(result, weights);
  zip_parameters([](const ParameterName&, const auto& from, auto& to) { to = from; }, weights,
                 result);
  return result;
}

// A struct of the same form whose parameters lie in `memory` in order and without gaps:
// parameter_count(weights) elements. A parameter that `weights` lacks, it lacks, too.
//
//     const LinearWeights weights = ...;
//     const auto gradients = parameters_in<BasicLinearWeights<float>>(memory, weights);
template <typename Result, typename Weights, typename T>
Result parameters_in(T* memory, const Weights& weights) {
  Result result{};
  detail::copy_form(result, weights);
  zip_parameters(
      [&](const ParameterName&, const auto& view, auto& place) {
        if (!view) return;
        place = {memory, view.shape()};
        memory += view.count();
      },
      weights, result);
  return result;
}

}  // namespace tril
