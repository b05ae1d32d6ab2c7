#include "processes.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>

#include "program.h"

#ifdef TRIL_MPI
// Only the functions of C.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace tril::cli {
namespace {

// What mpirun and its kin (Open MPI; MPICH, Intel MPI) tell the processes that they start. A
// program that was started as usual does not wait for MPI to begin.
int started_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* const text = std::getenv(name)) {
      int count = 0;
      std::from_chars(text, text + std::strlen(text), count);
      return count;
    }
  }
  return 1;
}

}  // namespace

#ifdef TRIL_MPI

const char* const kProcessesNote = "`mpirun -n 4 tril train ...` trains with four processes.";

Processes::Processes() {
  if (started_together() <= 1) return;
  MPI_Init(nullptr, nullptr);
  is_started_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &number_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &on_this_machine_);
  MPI_Comm_free(&machine);
}

Processes::~Processes() {
  if (is_started_) MPI_Finalize();
}

void Processes::add_up(std::span<float> numbers) const {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // what an int can count
  for (std::size_t first = 0; is_started_ && first < numbers.size(); first += kMost) {
    const std::span<float> part = numbers.subspan(first, std::min(kMost, numbers.size() - first));
    MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
}

void Processes::add_up(std::span<double> numbers) const {
  if (!is_started_) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
}

void Processes::all_or_none(const std::function<void()>& body) const {
  std::exception_ptr error;
  try {
    body();
  } catch (...) {
    error = std::current_exception();
  }
  int first = error ? number_ : count_;
  if (is_started_) MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == count_) return;
  if (first == number_) std::rethrow_exception(error);
  throw Silent();
}

void Processes::abort(const std::string& message) const {
  std::cerr << "tril: process " << number_ << " of " << count_ << ": " << message << std::endl;
  MPI_Abort(MPI_COMM_WORLD, kFailed);
  std::abort();  // MPI_Abort does not come back
}

#else

const char* const kProcessesNote =
    "This program was built without MPI: it trains with one process.";

Processes::Processes() {
  if (const int count = started_together(); count > 1) {
    throw Failure("was started as " + std::to_string(count) +
                  " processes, but is built without MPI");
  }
}
Processes::~Processes() = default;
void Processes::add_up(std::span<float>) const {}
void Processes::add_up(std::span<double>) const {}
void Processes::all_or_none(const std::function<void()>& body) const { body(); }
void Processes::abort(const std::string& message) const {
  std::cerr << "tril: " << message << std::endl;
  std::exit(kFailed);
}

#endif

}  // namespace tril::cli
