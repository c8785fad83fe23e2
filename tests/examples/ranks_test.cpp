#include <cstdlib>

#include "support/catch.hpp"
#include "support/ranks.hpp"

TEST_CASE("The environment of a launcher tells how many processes it started") {
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (std::getenv(name) != nullptr) return;  // the test itself was started by a launcher
  CHECK(fltr::examples::started_processes() == 0);
  CHECK_NOTHROW(fltr::examples::require_all_ranks());
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    ::setenv(name, "2", 1);
    CHECK(fltr::examples::started_processes() == 2);
#ifndef FLTR_PROGRAMS_USE_MPI
    CHECK_THROWS_WITH(fltr::examples::require_all_ranks(), Catch::Contains("built without MPI"));
#endif
    ::unsetenv(name);
  }
}
