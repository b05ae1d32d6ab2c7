// What `tril train` asks of MPI. The module tril_mpi has it, which is loaded where several
// processes were started: libmpi need not be there for anything else.
#pragma once

#include <cstddef>

namespace tril::cli {

struct MpiFunctions {
  // Begins, and says which of how many processes this is, and how many are on this machine. False
  // where MPI leaves no room for threads beside the one that calls it.
  bool (*begin)(int* number, int* count, int* on_this_machine);
  void (*end)();
  // In the first process each number becomes the sum over all; in the others they become anything.
  void (*add_up_floats)(float* numbers, std::size_t count);
  void (*add_up_doubles)(double* numbers, std::size_t count);
  // In every process the bytes become those of the first.
  void (*from_first)(std::byte* bytes, std::size_t count);
  // The smallest of all processes' numbers.
  int (*smallest)(int number);
  void (*abort)(int exit_code);
};

}  // namespace tril::cli

// Of the module.
extern "C" const tril::cli::MpiFunctions* tril_mpi_functions();
