// What people have in place of the file that they meant: a download that saved a page, a clone
// without the large files, a pickle, an archive that is still packed.
#pragma once

#include <string_view>

namespace tril::detail {

// What a file that begins so is, and what to do instead; empty where it is nothing that is known. A
// well-formed .safetensors file may begin like any other: ask only about what is none. A kilobyte
// of the beginning is enough.
std::string_view known_file(std::string_view begin) noexcept;

// Throws Error in the name of `call` and `argument` where a file that begins so is known or is a
// .zip archive, saying what it is and what to do.
void refuse_mistaken_file(const char* call, const char* argument, std::string_view begin);

}  // namespace tril::detail
