// Names of methods, activations and other enumerations: one table beside each, shared by the
// command line, the bindings, the benchmarks and the tests.
#pragma once

#include <tril/foundation/check.h>

#include <span>
#include <string_view>

namespace tril {

// A value of an enumeration and its name.
template <typename Enum>
struct Named {
  std::string_view name;  // the name that a user writes
  Enum value;             // the value of that name
};

namespace detail {
[[noreturn]] void fail_unknown(std::span<const std::string_view> names, std::string_view name,
                               const char* call, const char* argument, const char* what);
}  // namespace detail

// The value of a name. Throws Error, naming `call` and `argument`, for an unknown name: "unknown
// method "fast"; there are auto, full". `what` is "method" there (default: the argument).
template <typename Enum, std::size_t Count>
Enum value_named(const Named<Enum> (&table)[Count], std::string_view name, const char* call,
                 const char* argument, const char* what = nullptr) {
  for (const Named<Enum>& each : table) {
    if (each.name == name) return each.value;
  }
  std::string_view names[Count];
  for (std::size_t i = 0; i < Count; ++i) names[i] = table[i].name;
  detail::fail_unknown(names, name, call, argument, what ? what : argument);
}

// The name of a value; empty where the table has none.
template <typename Enum, std::size_t Count>
constexpr std::string_view name_of(const Named<Enum> (&table)[Count], Enum value) noexcept {
  for (const Named<Enum>& each : table) {
    if (each.value == value) return each.name;
  }
  return {};
}

}  // namespace tril
