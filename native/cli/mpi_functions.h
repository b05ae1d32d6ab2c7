// The functions of MPI that `tril train` uses. They are in the module tril_mpi, which is loaded
// only where several processes were started, so that libmpi is needed for nothing else.
#pragma once

#include <cstddef>

namespace tril::cli {

struct MpiFunctions {
  // Initialises MPI, and gives the number of this process, their count, and the count on this
  // machine. False where MPI does not allow threads besides the one that calls it.
  bool (*begin)(int* number, int* count, int* on_this_machine);
  void (*end)();
  // In the first process each number becomes the sum over all processes; in the others it is
  // undefined.
  void (*add_up_floats)(float* numbers, std::size_t count);
  void (*add_up_doubles)(double* numbers, std::size_t count);
  // In every process the bytes become those of the first process.
  void (*from_first)(std::byte* bytes, std::size_t count);
  // The minimum of the number over all processes.
  int (*smallest)(int number);
  void (*abort)(int exit_code);
};

}  // namespace tril::cli

// The module's export.
extern "C" const tril::cli::MpiFunctions* tril_mpi_functions();
