// The time to compile `#include <fltr/fltr.hpp>`, and a program without and with the precompiled header of fltr. CMake
// compiled all of them once and recorded the commands; the suite repeats them. The time is the user time of the
// compiler.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "hot_paths/suites.hpp"
#include "support/child_process.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

namespace {

/// The recorded command with its object in another file, and without a list of dependencies, so that the build is left
/// as it is. Empty if nothing was recorded.
std::vector<std::string> recorded_command(std::string const& name, std::string const& object) {
  auto const program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream file(program.parent_path() / "commands" / (name + ".txt"));
  std::vector<std::string> command;
  for (std::string argument; std::getline(file, argument);) {
    if (argument == "-MD") continue;
    if (argument == "-MT" || argument == "-MF" || argument == "-o") {
      std::getline(file, argument);
      continue;
    }
    command.push_back(argument);
  }
  if (!command.empty()) command.insert(command.end(), {"-o", object});
  return command;
}

}  // namespace

std::vector<Row> compilation(std::size_t rounds) {
  auto const object =
      (std::filesystem::temp_directory_path() / ("fltr-bench-" + std::to_string(::getpid()) + ".o")).string();
  struct Compilation {
    char const* file;
    char const* name;
    char const* baseline;
  };
  SideBySide bench(rounds);
  for (auto const [file, name, baseline] :
       {Compilation{"standard_library", "compile the standard library", ""},
        Compilation{"umbrella", "compile #include <fltr/fltr.hpp>", "compile the standard library"},
        Compilation{"program", "compile first_federation.cpp", "compile #include <fltr/fltr.hpp>"},
        Compilation{"program_precompiled", "compile first_federation.cpp, precompiled header",
                    "compile first_federation.cpp"}}) {
    auto command = recorded_command(file, object);
    if (command.empty()) {
      std::fputs("compilation: no commands are recorded, so its rows are left out; the target bench records them\n",
                 stderr);
      return {};
    }
    bench.add_measured(
        name,
        [command = std::move(command)] {
          double const seconds = user_seconds(command);
          return Seconds{seconds, seconds};
        },
        baseline);
  }
  auto rows = bench.run();
  std::filesystem::remove(object);
  return rows;
}

}  // namespace fltr::benchmarks
