// The exception of the core: it names the function that was called, the wrong argument, and what is
// wrong with it.
//
// Every public function checks its arguments in O(1) and throws before it writes anything, so a
// caller that catches an Error finds all its data as it was.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tril {

// what() gives "CALL: ARGUMENT: PROBLEM".
class Error : public std::runtime_error {
 public:
  // `problem` says what is wrong in words and names the shapes that do not fit.
  Error(std::string_view call, std::string_view argument, std::string_view problem);

  const std::string& call() const noexcept { return call_; }  // the function that was called
  const std::string& argument() const noexcept { return argument_; }  // its argument at fault
  const std::string& problem() const noexcept { return problem_; }    // what is wrong with it

 private:
  std::string call_;
  std::string argument_;
  std::string problem_;
};

namespace detail {

// Writes control characters as in JSON: messages contain names and texts from files, which may
// hold anything.
std::string on_one_line(std::string_view text);

}  // namespace detail

}  // namespace tril
