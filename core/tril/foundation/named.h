// Names of methods, activations and the like: one table beside each enumeration, which the command
// line, the bindings, the benchmarks and the tests read.
#pragma once

#include <tril/foundation/check.h>

#include <span>
#include <string_view>

namespace tril {

// A value of an enumeration and its name.
template <typename Enum>
struct Named {
  std::string_view name;  // as a user writes it
  Enum value;             // what it stands for
};

namespace detail {
[[noreturn]] void fail_unknown(std::span<const std::string_view> names, std::string_view name,
                               const char* call, const char* argument, const char* what);
}  // namespace detail

// The value of that name. Throws Error, naming `call` and `argument`, where the table has none:
// "unknown method "fast"; there are auto, full", `what` being the argument unless given.
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

// The name of that value; empty where the table has none.
template <typename Enum, std::size_t Count>
constexpr std::string_view name_of(const Named<Enum> (&table)[Count], Enum value) noexcept {
  for (const Named<Enum>& each : table) {
    if (each.value == value) return each.name;
  }
  return {};
}

}  // namespace tril
