#include "guard.h"

#include <emscripten/val.h>
#include <tril/foundation/error.h>

#include <exception>
#include <new>
#include <string>

namespace tril::js {

namespace {

// Module.TrilError is given by the package when it loads this module.
[[noreturn]] void throw_error(const std::string& call, const std::string& argument,
                              const std::string& problem) {
  emscripten::val::module_property("TrilError").new_(call, argument, problem).throw_();
}

}  // namespace

void throw_to_javascript() {
  std::string call, argument, problem;
  try {
    throw;
  } catch (const Error& error) {
    call = error.call();
    argument = error.argument();
    const std::string what = error.what();  // "call: argument: problem"
    problem = what.substr(call.size() + argument.size() + 4);
  } catch (const std::bad_alloc&) {
    argument = "memory";
    problem = "is not enough";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  throw_error(call, argument, problem);
}

}  // namespace tril::js
