// A list that stores its first elements in itself. Short lists, created anew in every call,
// allocate nothing.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tril::detail {

template <typename T, std::size_t Count>
class SmallVector {
 public:
  void push_back(T value) {
    if (size_ < Count) {
      first_[size_] = std::move(value);
    } else {
      rest_.push_back(std::move(value));
    }
    ++size_;
  }
  std::size_t size() const noexcept { return size_; }
  const T& operator[](std::size_t at) const noexcept {
    return at < Count ? first_[at] : rest_[at - Count];
  }

  // Iterates over all elements.
  struct Iterator {
    const SmallVector* list;
    std::size_t at;
    const T& operator*() const noexcept { return (*list)[at]; }
    Iterator& operator++() noexcept {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const noexcept { return at != other.at; }
  };
  Iterator begin() const noexcept { return {this, 0}; }
  Iterator end() const noexcept { return {this, size_}; }

 private:
  T first_[Count] = {};
  std::vector<T> rest_;
  std::size_t size_ = 0;
};

}  // namespace tril::detail
