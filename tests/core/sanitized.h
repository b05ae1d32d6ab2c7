// Whether sanitizers watch. What takes 25 times as long with them is then tried at fewer sizes:
// they look for memory that is read or written wrongly, and every size is computed exactly without
// them. GCC says in one way which sanitizer there is, Clang in another.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRIL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRIL_SANITIZED 1
#endif
#endif
#ifndef TRIL_SANITIZED
#define TRIL_SANITIZED 0
#endif
