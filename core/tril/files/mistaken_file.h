// What people have in place of the file that they meant: a download that saved a page, and a clone
// without the large files.
#pragma once

#include <string_view>

namespace tril::detail {

// Throws Error in the name of `call` and `argument` where a file that begins so is a web
// page or a pointer of Git LFS, saying what it is and what to do.
void refuse_mistaken_file(const char* call, const char* argument, std::string_view begin);

}  // namespace tril::detail
