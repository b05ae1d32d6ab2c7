// The border between C++ and JavaScript: guard<&function> is that function, with every C++
// exception turned into a JavaScript TrilError of the same call, argument and message.
//
// The stack unwinds as for any exception, so the module goes on working. Emscripten's own
// getExceptionMessage would do the same for 60 kB of demangler.
#pragma once

#include <utility>

namespace tril::js {

// Inside a catch block: throws the current exception to JavaScript.
[[noreturn]] void throw_to_javascript();

template <auto Function>
struct Guard;

template <typename Result, typename... Arguments, Result (*Function)(Arguments...)>
struct Guard<Function> {
  static Result call(Arguments... arguments) {
    try {
      return Function(std::forward<Arguments>(arguments)...);
    } catch (...) {
      throw_to_javascript();
    }
  }
};

template <auto Function>
inline constexpr auto guard = &Guard<Function>::call;

}  // namespace tril::js
