#include "processes.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>

#include "mpi_functions.h"
#include "program.h"

#ifdef TRIL_MPI_MODULE
#include <dlfcn.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#endif

namespace tril::cli {
namespace {

// The least number of processes, from the environment variables of launchers; 0 without a launcher.
// Only MPI knows the exact number and the number of this process, but a program that was started on
// its own does not wait for MPI to initialise.
int launched() {
  const auto number_of = [](const char* name) {
    const char* const text = std::getenv(name);
    int number = -1;
    if (text) std::from_chars(text, text + std::strlen(text), number);
    return number;
  };
  int count = number_of("PMIX_RANK") + 1;  // this says nothing of the others
  // mpirun of Open MPI, of MPICH and Intel MPI; srun.
  for (const char* size :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const int number = number_of(size); number > 1) count = std::max(count, number);
  }
  return count;
}

}  // namespace

#ifdef TRIL_MPI_MODULE

const char* const kProcessesNote = "`mpirun -n 4 tril train ...` trains with four processes.";

namespace {

std::filesystem::path program_folder() {
#ifdef __APPLE__
  char path[4096];
  std::uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) != 0) return {};
  return std::filesystem::canonical(path).parent_path();
#else
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
#endif
}

// Loads the module from the build folder beside the program, or from where it was installed.
const MpiFunctions* load_mpi() {
  const std::filesystem::path folder = program_folder();
  std::string problem;
  for (const char* place : {TRIL_MPI_MODULE, TRIL_MPI_INSTALLED}) {
    const std::filesystem::path path = folder / place;
    if (!std::filesystem::exists(path)) continue;
    // Global, since Open MPI's own modules look up its symbols.
    if (void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
      using Get = const MpiFunctions* (*)();
      return reinterpret_cast<Get>(dlsym(module, "tril_mpi_functions"))();
    }
    problem = dlerror();
  }
  throw Failure("was started as several processes, but cannot load MPI: " +
                (problem.empty() ? "there is no " + (folder / TRIL_MPI_MODULE).string() : problem));
}

}  // namespace

Processes::Processes() {
  const int least = launched();
  if (least == 0) return;
  const MpiFunctions* const mpi = load_mpi();
  const bool allows_threads = mpi->begin(&number_, &count_, &on_this_machine_);
  mpi_ = mpi;
  std::string problem;
  if (!allows_threads) problem = "MPI allows no threads (MPI_THREAD_FUNNELED)";
  if (count_ < least) {
    problem = "was started as " + std::to_string(least) +
              " processes or more, of which MPI knows " + std::to_string(count_) +
              ": use the mpirun of the MPI that tril was built with, or " + "srun --mpi=pmix";
  }
  if (problem.empty()) return;
  mpi->end();
  throw Failure(problem);
}

Processes::~Processes() {
  if (mpi_) mpi_->end();
}

#else

const char* const kProcessesNote =
    "This program was built without MPI: it trains with one process.";

Processes::Processes() {
  if (const int count = launched(); count > 1) {
    throw Failure("was started as " + std::to_string(count) +
                  " processes, but is built without MPI");
  }
}
Processes::~Processes() = default;

#endif

void Processes::add_up(std::span<float> numbers) const {
  if (mpi_) mpi_->add_up_floats(numbers.data(), numbers.size());
}

void Processes::add_up(std::span<double> numbers) const {
  if (mpi_) mpi_->add_up_doubles(numbers.data(), numbers.size());
  from_first(std::as_writable_bytes(numbers));
}

void Processes::from_first(std::span<std::byte> bytes) const {
  if (mpi_) mpi_->from_first(bytes.data(), bytes.size());
}

void Processes::all_or_none(const std::function<void()>& body) const {
  std::exception_ptr error;
  try {
    body();
  } catch (...) {
    error = std::current_exception();
  }
  int first = error ? number_ : count_;
  if (mpi_) first = mpi_->smallest(first);
  if (first == count_) return;
  if (first == number_) std::rethrow_exception(error);
  throw Silent();
}

void Processes::abort(const std::string& message) const {
  if (!mpi_) {
    std::cerr << "tril: " << message << std::endl;
    std::exit(kFailed);
  }
  std::cerr << "tril: process " << std::to_string(number_) << " of " << std::to_string(count_)
            << ": " << message << std::endl;
  mpi_->abort(kFailed);
  std::abort();  // abort() of MPI does not return
}

}  // namespace tril::cli
