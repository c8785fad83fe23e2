#include "ranks.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "program_execution.hpp"

namespace fltr::examples {

unsigned long started_processes() {
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (char const* const value = std::getenv(name)) return std::strtoul(value, nullptr, 10);
  return 0;
}

std::string refusal_of_start(unsigned long started, std::size_t known, bool with_mpi) {
  if (started <= 1 || known > 1) return "";
  if (with_mpi)
    return "required the mpirun of the MPI that this program was built with, got " + std::to_string(started) +
           " processes of another MPI, each alone";
  return "required a start without mpirun, because this program was built without MPI, got " + std::to_string(started) +
         " processes, each of which would be a run of its own; build it with MPI (Debian: libopenmpi-dev), or start it "
         "once";
}

void require_all_ranks() {
#ifdef FLTR_PROGRAMS_USE_MPI
  constexpr bool with_mpi = true;
#else
  constexpr bool with_mpi = false;
#endif
  auto const refusal = refusal_of_start(started_processes(), rank_count(), with_mpi);
  if (!refusal.empty()) throw std::runtime_error(refusal);
}

Threads threads_of(CommonOptions const& options) { return Threads{static_cast<int>(thread_count(options))}; }

#ifdef FLTR_PROGRAMS_USE_MPI

namespace {

std::optional<MpiRanks<>> ranks;  // none: not started by mpirun
std::mutex ranks_mutex;           // for the thread that watches signals
std::atomic<bool> first{true};
bool alone = false;  // other ranks wait for the end

/// Variables that mpirun of Open MPI, MPICH and their relatives, and srun set for each rank.
bool started_by_mpirun() {
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

ProgramExecution spread(Threads threads) {
  if (ranks && !alone) return ProgramExecution(ranks->with_inner(std::move(threads)));
  return ProgramExecution::alone(std::move(threads));
}

struct Flag {
  bool set = false;
  void merge(Flag other) { set = set || other.set; }
  auto fields(auto&& visit) { return visit(set); }
};

struct Same {
  std::string value{};
  bool same = true;
  void merge(Same const& other) { same = same && other.same && value == other.value; }
  auto fields(auto&& visit) { return visit(value, same); }
};

}  // namespace

ProgramExecution execution_of(CommonOptions const& options) { return spread(threads_of(options)); }
ProgramExecution one_thread() { return ProgramExecution::alone(Threads{1}); }

void join_ranks() {
  if (!started_by_mpirun()) return;
  {
    std::scoped_lock const lock(ranks_mutex);
    ranks.emplace();
  }
  first = ranks->rank() == 0;
  if (!first && std::freopen("/dev/null", "w", stdout) == nullptr)
    throw std::runtime_error("cannot open /dev/null for the output of this rank");
}

bool is_first_rank() noexcept { return first; }
std::size_t rank_number() noexcept { return ranks && !alone ? ranks->rank() : 0; }
std::size_t rank_count() noexcept { return ranks && !alone ? ranks->size() : 1; }

bool first_rank_works_alone() {
  alone = true;
  return first;
}

bool on_any_rank(bool flag) {
  if (rank_count() == 1) return flag;
  return ranks->reduce(ranks->size(), [&](std::size_t) { return Flag{flag}; }).set;
}

void require_same_on_ranks(std::string const& what, std::string const& value) {
  if (rank_count() == 1) return;
  if (!ranks->reduce(ranks->size(), [&](std::size_t) { return Same{value}; }).same)
    throw std::runtime_error("required the same " + what + " on all ranks, got different ones");
}

void tell_ranks_of_signal(int signal) noexcept {
  std::scoped_lock const lock(ranks_mutex);
  if (ranks) ranks->ask_to_stop(signal);
}
int signal_of_ranks() noexcept { return ranks ? ranks->stop() : 0; }

Ending end_of_ranks(Ending own, bool& prints) {
  prints = first;
  if (!ranks) return own;
  try {
    ranks->run([&] {
      if (own.failed) throw std::runtime_error(own.text);
    });
  } catch (std::exception const& error) {
    if (!own.failed) own = {1, std::string("error: ") + error.what(), true};
    prints = first || !ranks->reaches_all();
  }
  if (!prints) own.status = 0;  // mpirun returns the status of the first rank that fails: that of rank 0
  return own;
}

void leave_ranks() {
  std::optional<MpiRanks<>> last;  // finalises MPI at the end of this function, without the lock
  std::scoped_lock const lock(ranks_mutex);
  last.swap(ranks);
}

#else

ProgramExecution execution_of(CommonOptions const& options) { return ProgramExecution(threads_of(options)); }
ProgramExecution one_thread() { return ProgramExecution(Threads{1}); }
void join_ranks() {}
bool is_first_rank() noexcept { return true; }
std::size_t rank_number() noexcept { return 0; }
std::size_t rank_count() noexcept { return 1; }
bool first_rank_works_alone() { return true; }
bool on_any_rank(bool flag) { return flag; }
void require_same_on_ranks(std::string const&, std::string const&) {}
void tell_ranks_of_signal(int) noexcept {}
int signal_of_ranks() noexcept { return 0; }
Ending end_of_ranks(Ending own, bool& prints) {
  prints = true;
  return own;
}
void leave_ranks() {}

#endif

}  // namespace fltr::examples
