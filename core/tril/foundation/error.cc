#include <tril/foundation/error.h>

namespace tril {

Error::Error(std::string_view call, std::string_view argument, std::string_view problem)
    : std::runtime_error(std::string(call) + ": " + std::string(argument) + ": " +
                         std::string(problem)),
      call_(call),
      argument_(argument),
      problem_(problem) {}

}  // namespace tril
