// The names of options in the core's tables. Tests compare the package's types with them.
#pragma once

#include <tril/foundation/named.h>

#include <string>
#include <vector>

#include "tensor.h"

namespace tril::js {

// The names in one table, in order.
template <typename Enum, std::size_t Count>
Names names_in(const Named<Enum> (&table)[Count]) {
  std::vector<std::string> names;
  for (const Named<Enum>& each : table) names.emplace_back(each.name);
  return Names(emscripten::val::array(names));
}

}  // namespace tril::js
