#pragma once

#include <fltr/execution/threads.hpp>
#ifdef FLTR_PROGRAMS_USE_MPI
#include <fltr/execution/mpi.hpp>
#endif

#include "options.hpp"

namespace fltr::examples {

/// The Execution of all programs. There is one type, so that no program compiles its federations twice.
#ifdef FLTR_PROGRAMS_USE_MPI
using ProgramExecution = MpiRanks<Threads>;
#else
using ProgramExecution = Threads;
#endif

/// --threads threads of this process, for work that is not spread over ranks.
[[nodiscard]] Threads threads_of(CommonOptions const& options);
/// The ranks with --threads threads each. Every rank calls the same reductions.
[[nodiscard]] ProgramExecution execution_of(CommonOptions const& options);
/// One thread of this process.
[[nodiscard]] ProgramExecution one_thread();

}  // namespace fltr::examples
