// Empty on purpose: Emscripten has SSE but no MMX, and <immintrin.h> asks for this header.
#pragma once
