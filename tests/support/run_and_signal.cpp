// run_and_signal [option]... -- <program> [argument]...
//
// Runs a program, waits for an event, sends a signal, and prints the program's output. The last line is "exit status N"
// or "killed by signal N". The exit status is 0 if all events happened, otherwise 1.
//
//   --when-partial <folder> <name> <lines>   waits until an unfinished file of this name in the folder has these lines
//   --when-file <file> <lines>               the same for a file
//   --when-stderr <text>                     waits until the program has written this text on stderr
//   --when-matches <regex>                   waits until a part of its stderr matches
//   --when-reads <pipe>                      creates the pipe and waits until the program has opened it for reading
//   --when-stuck <pipe> <bytes>              creates the pipe, waits until the program has written this many bytes,
//                                            and fills the pipe. There is no reader, so the next write blocks
//   --when-exists <path>                     waits until there is a finished file whose path begins with this text
//   --after <milliseconds>                   waits for this time, or until the program ends
//   --meanwhile <command>                    runs a command in a shell, and prints its status: "meanwhile N"
//   --send <signal>                          INT, TERM, HUP or KILL
//   --send-rank <signal> <name> <n>          sends it to the n-th process of this name that the program started; with
//                                            mpirun as the program: to rank n
//   --file-size <bytes>                      no file of the program can grow beyond this size, as on a full disk
//   --terminal                               stderr is a terminal
//
// Waiting and sending happen in the order given. When the program starts, all signals have their default
// actions; a shell would let background programs ignore SIGINT.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

bool exists_with_prefix(std::filesystem::path const& prefix) {
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator(prefix.parent_path(), error))
    if (std::string const name = entry.path().filename().string();
        name.starts_with(prefix.filename().string()) && !name.ends_with(".partial"))
      return true;
  return false;
}

[[noreturn]] void fail(std::string const& why) {
  std::cout << "run_and_signal: " << why << '\n';
  std::exit(1);
}

/// Reads a file descriptor to its end, in its own thread.
class Reader {
 public:
  explicit Reader(int from)
      : thread_([this, from] {
          char bytes[4096];
          ssize_t got = 0;
          while ((got = ::read(from, bytes, sizeof bytes)) > 0) {
            std::scoped_lock const lock(mutex_);
            text_.append(bytes, static_cast<std::size_t>(got));
          }
        }) {}
  std::string text() {
    std::scoped_lock const lock(mutex_);
    return text_;
  }
  void join() { thread_.join(); }

 private:
  std::mutex mutex_;
  std::string text_;
  std::thread thread_;
};

long lines_of(std::filesystem::path const& file) {
  std::ifstream stream(file);
  return stream ? std::count(std::istreambuf_iterator<char>(stream), {}, '\n') : -1;
}

long lines_of_partial(std::filesystem::path const& folder, std::string const& name) {
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string const file = entry.path().filename().string();
    if (!file.starts_with(name + '.') || !file.ends_with(".partial")) continue;
    return lines_of(entry.path());
  }
  return -1;
}

/// The processes with this name among the descendants of a process. Their order is that of their numbers, in which they
/// were started.
std::vector<pid_t> descendants_named(pid_t ancestor, std::string const& name) {
  struct Process {
    pid_t parent = 0;
    std::string name;
  };
  std::map<pid_t, Process> processes;
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);  // number (name) state parent ...; nothing if the process has ended
    auto const open = text.find('(');
    auto const close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    processes[std::stoi(text)] = {std::stoi(text.substr(close + 4)), text.substr(open + 1, close - open - 1)};
  }
  std::vector<pid_t> found;
  for (auto const& [pid, process] : processes) {
    if (process.name != name.substr(0, 15)) continue;  // Linux keeps 15 letters
    for (pid_t above = process.parent; above > 1; above = processes[above].parent)
      if (above == ancestor) found.push_back(pid);
  }
  return found;
}

int signal_named(std::string const& name) {
  if (name == "INT") return SIGINT;
  if (name == "TERM") return SIGTERM;
  if (name == "HUP") return SIGHUP;
  if (name == "KILL") return SIGKILL;
  fail("unknown signal " + name);
}

}  // namespace

int main(int argc, char** argv) {
  struct Step {
    std::string what;
    std::vector<std::string> values;
  };
  std::vector<Step> steps;
  rlim_t file_size = RLIM_INFINITY;
  bool terminal = false;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    std::string const option = argv[i];
    std::size_t const values = option == "--when-partial" ? 3
                               : option == "--send-rank"  ? 3
                               : option == "--when-file"  ? 2
                               : option == "--when-stuck" ? 2
                               : option == "--terminal"   ? 0
                                                          : 1;
    if (i + static_cast<int>(values) >= argc) fail(option + " requires a value");
    Step step{option, {}};
    for (std::size_t v = 0; v < values; ++v) step.values.emplace_back(argv[++i]);
    if (option == "--terminal")
      terminal = true;
    else if (option == "--file-size")
      file_size = std::stoul(step.values[0]);
    else
      steps.push_back(step);
  }
  if (i + 1 >= argc) fail("no program is given");

  int out[2];
  int err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) fail("no pipe");
  if (terminal) {
    ::close(err[0]);
    ::close(err[1]);
    err[0] = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (err[0] < 0 || ::grantpt(err[0]) != 0 || ::unlockpt(err[0]) != 0) fail("no terminal");
    err[1] = ::open(::ptsname(err[0]), O_RDWR | O_NOCTTY);
    winsize const size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(err[1], TIOCSWINSZ, &size);
  }
  for (Step const& step : steps)
    if (step.what == "--when-reads" && ::mkfifo(step.values[0].c_str(), 0600) != 0) fail("no pipe " + step.values[0]);
  int stuck = -1;
  for (Step const& step : steps) {
    if (step.what != "--when-stuck") continue;
    if (::mkfifo(step.values[0].c_str(), 0600) != 0) fail("no pipe " + step.values[0]);
    stuck = ::open(step.values[0].c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (stuck < 0) fail("no pipe " + step.values[0]);
  }

  pid_t const child = ::fork();
  if (child == 0) {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
    if (file_size != RLIM_INFINITY) {
      rlimit const limit{file_size, file_size};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (terminal) ::setenv("TERM", "xterm", 1);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (int const descriptor : {out[0], out[1], err[0], err[1]}) ::close(descriptor);
    ::execv(argv[i + 1], argv + i + 1);
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  Reader from_out(out[0]);
  Reader from_err(err[0]);

  int status = 0;
  bool ended = false;
  std::string failure;
  for (Step const& step : steps) {
    std::function<bool()> happened = [] { return true; };
    if (step.what == "--when-partial")
      happened = [&] { return lines_of_partial(step.values[0], step.values[1]) >= std::stol(step.values[2]); };
    else if (step.what == "--when-file")
      happened = [&] { return lines_of(step.values[0]) >= std::stol(step.values[1]); };
    else if (step.what == "--when-exists")
      happened = [&] { return exists_with_prefix(step.values[0]); };
    else if (step.what == "--after") {
      auto const end = Clock::now() + std::chrono::milliseconds(std::stol(step.values[0]));
      while (!ended && Clock::now() < end) {
        ended = ::waitpid(child, &status, WNOHANG) == child;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (ended) break;  // the steps that follow do nothing
    } else if (step.what == "--meanwhile")
      std::cout << "meanwhile " << WEXITSTATUS(std::system(step.values[0].c_str())) << std::endl;
    else if (step.what == "--when-stderr")
      happened = [&] { return from_err.text().find(step.values[0]) != std::string::npos; };
    else if (step.what == "--when-matches")
      happened = [&] { return std::regex_search(from_err.text(), std::regex(step.values[0])); };
    else if (step.what == "--when-stuck")
      happened = [&] {
        int waiting = 0;
        if (::ioctl(stuck, FIONREAD, &waiting) != 0 || waiting < std::stoi(step.values[1])) return false;
        while (::write(stuck, "", 1) == 1) continue;  // byte by byte, until the pipe is full
        return true;
      };
    else if (step.what == "--when-reads")
      happened = [&] { return ::open(step.values[0].c_str(), O_WRONLY | O_NONBLOCK) >= 0; };
    else if (step.what == "--send")
      ::kill(child, signal_named(step.values[0]));
    else if (step.what == "--send-rank") {
      auto const ranks = descendants_named(child, step.values[1]);
      if (auto const n = std::stoul(step.values[2]); n < ranks.size()) ::kill(ranks[n], signal_named(step.values[0]));
    } else
      fail("unknown option " + step.what);
    auto const deadline = Clock::now() + std::chrono::minutes(2);
    while (!happened()) {
      if (::waitpid(child, &status, WNOHANG) == child) {
        ended = true;
        failure = "the program ended before " + step.what;
      } else if (Clock::now() > deadline) {
        failure = "timeout while waiting for " + step.what;
        ::kill(child, SIGKILL);
      }
      if (!failure.empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!failure.empty()) break;
  }
  if (!ended) ::waitpid(child, &status, 0);
  from_out.join();
  from_err.join();
  std::cout << from_out.text() << from_err.text() << '\n';
  if (WIFSIGNALED(status))
    std::cout << "killed by signal " << WTERMSIG(status) << '\n';
  else
    std::cout << "exit status " << WEXITSTATUS(status) << '\n';
  if (!failure.empty()) fail(failure);
  return 0;
}
