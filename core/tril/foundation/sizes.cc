#include <tril/foundation/check.h>
#include <tril/foundation/sizes.h>

#include <array>
#include <string>

namespace tril {

Index checked_count(std::initializer_list<NamedSize> sizes, std::size_t element_size,
                    const char* call) {
  std::array<Index, detail::kMostAxes> shape{};
  int rank = 0;
  for (const auto& [name, size] : sizes) {
    if (size < 0) fail(call, name, {"must be at least 0, is ", size});
    shape[static_cast<std::size_t>(rank++)] = size;
  }
  const char* const first = sizes.begin()->name;
  try {
    return checked_count(shape.data(), rank, element_size, call, first);
  } catch (const Error&) {
    std::string product;
    for (const auto& [name, size] : sizes) {
      product.append(product.empty() ? "" : " * ").append(name).append(" ");
      product.append(std::to_string(size));
    }
    fail(call, first, {"too large to address: ", product});
  }
}

}  // namespace tril
