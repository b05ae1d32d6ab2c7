#include <tril/files/mistaken_file.h>
#include <tril/foundation/check.h>

#include <algorithm>

namespace tril::detail {
namespace {

// Whether a text begins with a word of small letters, in letters of any size.
bool begins_with(std::string_view text, std::string_view word) noexcept {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, small);
}

}  // namespace

void refuse_mistaken_file(const char* call, const char* argument, std::string_view begin) {
  if (begins_with(begin, "version https://git-lfs")) {
    fail(call, argument,
         "is a Git LFS pointer, not the file: run `git lfs pull` where it was cloned, or download "
         "the file itself");
  }
  while (!begin.empty() && std::string_view("\xef\xbb\xbf \t\r\n").find(begin[0]) != begin.npos) {
    begin.remove_prefix(1);
  }
  if (begins_with(begin, "<!doctype") || begins_with(begin, "<html")) {
    fail(call, argument,
         "is a web page, not the file: download the file itself (at Hugging Face its address has "
         "/resolve/ in it, that of the page /blob/)");
  }
}

}  // namespace tril::detail
