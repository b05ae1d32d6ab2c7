// The values in a table of names: the parameters of tests of every method.
#pragma once

#include <tril/foundation/named.h>

#include <cstddef>
#include <vector>

namespace tril::testing {

template <typename Enum, std::size_t Count>
std::vector<Enum> values_of(const Named<Enum> (&table)[Count]) {
  std::vector<Enum> values;
  for (const Named<Enum>& each : table) values.push_back(each.value);
  return values;
}

}  // namespace tril::testing
