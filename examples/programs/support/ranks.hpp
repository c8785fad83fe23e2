#pragma once

#include <cstddef>
#include <string>

namespace fltr::examples {

// A program that is built with MPI and started by mpirun runs on all ranks: each has --threads threads, and rank 0 alone
// prints and writes. Without mpirun, or without MPI, there is one rank, and MPI is not initialised.

/// Initialises MPI if the program was started by mpirun. On ranks above 0, stdout is closed.
void join_ranks();
/// The number of processes that mpirun of Open MPI, MPICH and their relatives, or srun, states in the environment; 0: none.
[[nodiscard]] unsigned long started_processes();
/// Why `started` processes of which `known` know of each other may not run; empty: they may. `with_mpi`: whether the program
/// was built with MPI.
[[nodiscard]] std::string refusal_of_start(unsigned long started, std::size_t known, bool with_mpi);
/// Throws std::runtime_error if several processes were started that do not know of each other, because the program was built
/// without MPI or with another MPI than that of the launcher: each of them would be a rank 0.
void require_all_ranks();
/// Whether this rank prints and writes: rank 0.
[[nodiscard]] bool is_first_rank() noexcept;
/// The number of this rank; 0 after first_rank_works_alone.
[[nodiscard]] std::size_t rank_number() noexcept;
/// The number of ranks; 1 after first_rank_works_alone.
[[nodiscard]] std::size_t rank_count() noexcept;
/// For work without a federation. Returns whether this rank does the work; the others wait at the end of the program.
[[nodiscard]] bool first_rank_works_alone();

/// Whether the flag is true on any rank.
[[nodiscard]] bool on_any_rank(bool flag);
/// Throws std::runtime_error unless the value is the same on all ranks. `what` names it: "the options".
void require_same_on_ranks(std::string const& what, std::string const& value);

/// Tells the other ranks of a signal, with the next reduction.
void tell_ranks_of_signal(int signal) noexcept;
/// The signal that all ranks know of; 0: none.
[[nodiscard]] int signal_of_ranks() noexcept;

/// How a program ends.
struct Ending {
  int status = 0;
  std::string text{};    ///< for stderr; empty: nothing
  bool failed = false;   ///< ended by an exception
  std::string advice{};  ///< lines for stderr after the text
};
/// The end of the program on all ranks: if it failed on another rank, with the sentence of that rank. `prints`: whether
/// this rank prints the text.
[[nodiscard]] Ending end_of_ranks(Ending own, bool& prints);
/// Finalises MPI. The last call: if the ranks could not agree on the end, it aborts all of them.
void leave_ranks();

}  // namespace fltr::examples
