// Recognises files that are often mistaken for the right one: a saved web page, a pointer from a
// clone without large files, a pickle, an archive that is still packed.
#pragma once

#include <string_view>

namespace tril::detail {

// Tells the kind of a file with this beginning and gives advice; empty where it is not recognised.
// A well-formed .safetensors file may begin in any way, so ask only about other files. A kilobyte
// is enough.
std::string_view known_file(std::string_view begin) noexcept;

// Throws Error, naming `call` and `argument`, where the file is recognised or is a .zip archive;
// the error says what it is and what to do.
void refuse_mistaken_file(const char* call, const char* argument, std::string_view begin);

}  // namespace tril::detail
