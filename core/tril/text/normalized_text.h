// A normalized text, with the offsets of each of its bytes in the original.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// A range of bytes in a text.
struct TokenSpan {
  std::size_t begin;  // its first byte
  std::size_t end;    // the byte after its last

  // Whether the ranges are equal.
  bool operator==(const TokenSpan&) const = default;
};

namespace detail {

class NormalizedText {
 public:
  // Offsets are kept only with `keeps_sources`.
  explicit NormalizedText(bool keeps_sources) : keeps_sources_(keeps_sources) {}

  // Copies `bytes`, the next bytes of the original.
  void copy(std::string_view bytes) {
    text_ += bytes;
    for (std::size_t n = 0; n < bytes.size() && keeps_sources_; ++n) {
      sources_.push_back({read_ + n, read_ + n + 1});
    }
    read_ += bytes.size();
  }
  // Appends `bytes` in place of the next `count` bytes of the original.
  void replace(std::size_t count, std::string_view bytes) {
    text_ += bytes;
    if (keeps_sources_) sources_.resize(text_.size(), {read_, read_ + count});
    read_ += count;
  }

  const std::string& text() const noexcept { return text_; }
  // The range in the original of bytes [begin, end) of this text, at least one.
  TokenSpan source(std::size_t begin, std::size_t end) const {
    return {sources_[begin].begin, sources_[end - 1].end};
  }

 private:
  bool keeps_sources_;
  std::string text_;
  std::size_t read_ = 0;  // position in the original
  std::vector<TokenSpan> sources_;
};

}  // namespace detail
}  // namespace tril
