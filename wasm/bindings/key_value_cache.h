#pragma once

#include <tril/attention/key_value_cache.h>

#include "tensor.h"

namespace tril::js {

// A KeyValueCache that JavaScript owns. Its memory counts as the engine's.
class Cache {
 public:
  Cache(Engine& engine, const KeyValueCacheSizes& sizes);
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  KeyValueCache& core() noexcept { return core_; }

 private:
  Usage& usage_;
  KeyValueCache core_;
};

using CacheHandle = std::shared_ptr<Cache>;

}  // namespace tril::js
