// Memory that threads share grows here. Emscripten's own growth (-sALLOW_MEMORY_GROWTH) has scripts
// ask before each access whether another thread has made the memory grow, which makes small calls
// 1.6 to 1.8 times as long. But once all threads run, which loadTril waits for, only the caller's
// thread allocates: the work of the others must not throw (tril/foundation/parallel.h). Its views
// are therefore renewed where it grows memory, and nowhere else. The scripts of the other threads
// keep using the memory they started with.
#include <emscripten/em_js.h>
#include <emscripten/threading.h>

#include <algorithm>
#include <cstddef>

// The maximum size of the memory in bytes, as set by loadTril.
EM_JS(std::size_t, tril_most_memory, (), { return Module.trilMemory; });
EM_JS(void, tril_renew_views, (), { updateMemoryViews(); });

// Replaces Emscripten's imports from JavaScript with these names (emscripten/heap.h).
extern "C" {

std::size_t emscripten_get_heap_max() { return tril_most_memory(); }

// Grows the memory to at least `requested` bytes; returns 0 where it cannot.
int emscripten_resize_heap(std::size_t requested) {
  constexpr std::size_t kPage = 65536, kMostAhead = std::size_t{96} << 20;
  const std::size_t most = emscripten_get_heap_max();
  if (!emscripten_is_main_runtime_thread() || requested > most) return 0;
  const std::size_t size = __builtin_wasm_memory_size(0) * kPage;
  const auto grow_to = [&](std::size_t bytes) {
    const std::size_t pages = (bytes - size + kPage - 1) / kPage;
    return __builtin_wasm_memory_grow(0, pages) != static_cast<std::size_t>(-1);
  };
  // Grows by a fifth more, so that not every small allocation makes memory grow.
  const std::size_t ahead = std::min({size / 5, kMostAhead, most - size});
  if (!grow_to(std::max(requested, size + ahead)) && !grow_to(requested)) return 0;
  tril_renew_views();
  return 1;
}
}
