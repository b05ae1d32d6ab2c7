// A text made of another one, which knows of each of its bytes where it comes from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// Where something stands in a text, in bytes.
struct TokenSpan {
  std::size_t begin;  // its first byte
  std::size_t end;    // the byte after its last

  // The same bytes.
  bool operator==(const TokenSpan&) const = default;
};

namespace detail {

class NormalizedText {
 public:
  // Sources are kept only where asked for.
  explicit NormalizedText(bool keeps_sources) : keeps_sources_(keeps_sources) {}

  // The next `bytes.size()` bytes of the source as they are.
  void copy(std::string_view bytes) {
    text_ += bytes;
    for (std::size_t n = 0; n < bytes.size() && keeps_sources_; ++n) {
      sources_.push_back({read_ + n, read_ + n + 1});
    }
    read_ += bytes.size();
  }
  // `bytes`, all of them for the next `count` bytes of the source.
  void replace(std::size_t count, std::string_view bytes) {
    text_ += bytes;
    if (keeps_sources_) sources_.resize(text_.size(), {read_, read_ + count});
    read_ += count;
  }

  const std::string& text() const noexcept { return text_; }
  // Of bytes `begin` to `end` of the text, at least one.
  TokenSpan source(std::size_t begin, std::size_t end) const {
    return {sources_[begin].begin, sources_[end - 1].end};
  }

 private:
  bool keeps_sources_;
  std::string text_;
  std::size_t read_ = 0;  // how far in the source
  std::vector<TokenSpan> sources_;
};

}  // namespace detail
}  // namespace tril
