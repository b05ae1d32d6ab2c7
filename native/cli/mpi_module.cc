#include "mpi_functions.h"

// MPI's C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>

namespace tril::cli {
namespace {

// Only the main thread calls MPI; the threads that compute do not.
bool begin(int* number, int* count, int* on_this_machine) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, number);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, on_this_machine);
  MPI_Comm_free(&machine);
  return level >= MPI_THREAD_FUNNELED;
}

void end() { MPI_Finalize(); }

// Calls body on parts whose size fits into an int.
template <typename T, typename Body>
void in_parts(T* all, std::size_t count, const Body& body) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t first = 0; first < count; first += kMost) {
    body(all + first, static_cast<int>(std::min(kMost, count - first)));
  }
}

template <typename T>
void add_up(T* numbers, std::size_t count, MPI_Datatype type) {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  in_parts(numbers, count, [&](T* part, int size) {
    MPI_Reduce(number == 0 ? MPI_IN_PLACE : part, part, size, type, MPI_SUM, 0, MPI_COMM_WORLD);
  });
}

void add_up_floats(float* numbers, std::size_t count) { add_up(numbers, count, MPI_FLOAT); }
void add_up_doubles(double* numbers, std::size_t count) { add_up(numbers, count, MPI_DOUBLE); }

void from_first(std::byte* bytes, std::size_t count) {
  in_parts(bytes, count,
           [](std::byte* part, int size) { MPI_Bcast(part, size, MPI_BYTE, 0, MPI_COMM_WORLD); });
}

int smallest(int number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return number;
}

void abort(int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); }

}  // namespace
}  // namespace tril::cli

extern "C" const tril::cli::MpiFunctions* tril_mpi_functions() {
  using namespace tril::cli;
  static constexpr MpiFunctions kFunctions = {begin,      end,      add_up_floats, add_up_doubles,
                                              from_first, smallest, abort};
  return &kFunctions;
}
