#pragma once

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;  // NOLINT: POSIX does not declare it

namespace fltr::benchmarks {

/// Runs a program and returns the processor time, in seconds, that it and its children spent outside the system. Other
/// programs have less influence on it than on the wall-clock time.
[[nodiscard]] inline double user_seconds(std::vector<std::string> command) {
  if (command.empty()) throw std::invalid_argument("user_seconds: required a command, got none");
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  rusage used{};
  int status = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0 ||
      wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the command " + command.front() + " failed");
  return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

}  // namespace fltr::benchmarks
