#include "key_value_cache.h"

#include <emscripten/bind.h>

#include "guard.h"

namespace tril::js {

Cache::Cache(Engine& engine, const KeyValueCacheSizes& sizes) : usage_(engine.usage), core_(sizes) {
  usage_.bytes += static_cast<double>(core_.bytes());
}

Cache::~Cache() { usage_.bytes -= static_cast<double>(core_.bytes()); }

namespace {

CacheHandle make_cache(Engine& engine, int batches, int heads, int capacity, int width,
                       int value_width) {
  return std::make_shared<Cache>(engine,
                                 KeyValueCacheSizes{batches, heads, capacity, width, value_width});
}

int cache_length(Cache& cache) { return static_cast<int>(cache.core().length()); }

void set_cache_length(Cache& cache, double length) {
  cache.core().set_length(static_cast<Index>(length));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_key_value_cache) {
  using namespace emscripten;
  class_<Cache>("_Cache")
      .smart_ptr<CacheHandle>("_CacheHandle")
      .function("length", guard<&cache_length>)
      .function("setLength", guard<&set_cache_length>);
  function("_cache", guard<&make_cache>);
}

}  // namespace tril::js
