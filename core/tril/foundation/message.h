// The text of an error as a list of its parts: words, numbers and shapes in reading order.
//
//   fail("linear", "weight", {"width ", weight.size(1), " does not match x's; x is ", x});
//
// A check only notes where the parts are; they become text when it fails. (Composing the text in
// every check took a twentieth of the WebAssembly module.)
#pragma once

#include <tril/foundation/tensor.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tril {

// Borrows its parts, and so must not outlive them: create it where it is used.
class Message {
 public:
  // Parts may be strings, numbers, views, shapes and other messages.
  template <typename... Parts, typename = std::enable_if_t<(sizeof...(Parts) > 0)>>
  Message(const Parts&... parts) noexcept : count_(static_cast<int>(sizeof...(Parts))) {
    static_assert(sizeof...(Parts) <= kMostParts);
    Part* next = parts_;
    ((*next++ = part(parts)), ...);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  // The whole text; a shape is written as "[2, 3]", numbers as by number_text.
  std::string text() const;

 private:
  static constexpr std::size_t kMostParts = 10;
  enum class Kind { words, shape, message, integer, natural, number };
  struct Part {
    Kind kind;
    int count;  // letters or axes
    union Value {
      const char* words;
      const Index* axes;
      const Message* message;
      long long integer;
      unsigned long long natural;
      double number;
    } value;
  };

  template <typename T>
  static Part part(const T& value) noexcept {
    if constexpr (std::is_same_v<T, Message>) {
      return {Kind::message, 0, {.message = &value}};
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view words = value;
      return {Kind::words, static_cast<int>(words.size()), {.words = words.data()}};
    } else if constexpr (std::is_unsigned_v<T>) {
      return {Kind::natural, 0, {.natural = value}};
    } else if constexpr (std::is_integral_v<T>) {
      return {Kind::integer, 0, {.integer = value}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {Kind::number, 0, {.number = value}};
    } else if constexpr (requires { value.shape(); }) {
      return part(value.shape());
    } else {
      const std::span<const Index> axes(value);
      return {Kind::shape, static_cast<int>(axes.size()), {.axes = axes.data()}};
    }
  }

  int count_;
  Part parts_[kMostParts];
};

// A number as messages write it: integers in full, others with six digits, or with nine where six
// would be another float: "16777217", "-1e-06", "1.0000001". (std::to_string would bring printf
// into a WebAssembly module.)
std::string number_text(double value);

}  // namespace tril
