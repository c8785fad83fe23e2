#include <cstdlib>

#include "support/catch.hpp"
#include "support/ranks.hpp"

using namespace fltr::examples;

TEST_CASE("The environment of a launcher tells how many processes it started") {
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (std::getenv(name) != nullptr) return;  // the test itself was started by a launcher
  CHECK(started_processes() == 0);
  CHECK_NOTHROW(require_all_ranks());
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    ::setenv(name, "2", 1);
    CHECK(started_processes() == 2);
    CHECK_THROWS_WITH(require_all_ranks(), ContainsSubstring("got 2 processes"));  // it did not join any ranks
    ::setenv(name, "1", 1);
    CHECK_NOTHROW(require_all_ranks());
    ::unsetenv(name);
  }
}

TEST_CASE("Processes that do not know of each other are refused, with and without MPI") {
  for (bool const with_mpi : {false, true})
    for (unsigned long const started : {0UL, 1UL}) CHECK(refusal_of_start(started, 1, with_mpi).empty());
  CHECK_THAT(refusal_of_start(2, 1, false),
             ContainsSubstring(
                 "required a start without mpirun, because this program was built without MPI, got 2 processes"));
  CHECK_THAT(refusal_of_start(3, 1, true),
             ContainsSubstring("required the mpirun of the MPI that this program was built with") &&
                 ContainsSubstring("got 3 processes"));
  CHECK(refusal_of_start(3, 3, true).empty());
}
