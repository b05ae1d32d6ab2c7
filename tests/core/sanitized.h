// Whether sanitizers are active. Tests that take 25 times as long under them use fewer sizes then:
// sanitizers look for wrong memory accesses, and every size is tested without them. GCC and Clang
// report sanitizers in different ways.
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
