#include "interruption.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "ranks.hpp"
#include "terminal.hpp"

namespace fltr::examples {

namespace {

constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGHUP};
constexpr std::array<int, 2> ignored{SIGPIPE, SIGXFSZ};

/// Set once, by compare-exchange; decides what the first signal does.
enum class Phase { nothing_yet, keeps_results, ends_now };

std::atomic<Phase> phase{Phase::nothing_yet};
std::atomic<int> requested{0};
std::atomic<bool> cut{false};
std::atomic<int> signal_pipe{-1};  // the end that the handler writes to
std::atomic<int> signals_seen{0};

std::mutex paths_mutex;
std::vector<std::filesystem::path> folders_with_partial_files;
std::vector<std::filesystem::path> made_folders;

std::string name_of(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "a signal";
}

extern "C" void on_signal(int signal) {
  int const saved = errno;
  // The watching thread handles two signals. A third signal means that the thread is stuck.
  if (signals_seen.fetch_add(1) >= 2) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  auto const byte = static_cast<unsigned char>(signal);
  static_cast<void>(!::write(signal_pipe.load(), &byte, 1));
  errno = saved;
}

void remove_unfinished() {
  std::scoped_lock const lock(paths_mutex);
  std::string const own = '.' + std::to_string(::getpid()) + '.';
  std::error_code error;
  for (auto const& folder : folders_with_partial_files)
    for (auto const& entry : std::filesystem::directory_iterator(folder, error)) {
      std::string const name = entry.path().filename().string();
      std::error_code gone;
      if (name.ends_with(".partial") && name.find(own) != std::string::npos)
        std::filesystem::remove(entry.path(), gone);
    }
  for (auto folder = made_folders.rbegin(); folder != made_folders.rend(); ++folder)
    ::rmdir(folder->c_str());  // fails unless it is empty
}

/// A line on stderr, in place of the progress bar if there is one.
void say(std::string_view text) {
  if (!is_first_rank()) return;
  bool const drawn_over = Terminal::of(stderr).interactive;
  std::string const line = fmt::format("{}{}{}", drawn_over ? "\r\x1b[K" : "", text, text.empty() ? "" : "\n");
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

void answer(std::string const& program, int signal) {
  if (requested.load() != 0) {  // the second signal
    remove_unfinished();
    say("");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  Phase expected = Phase::nothing_yet;
  if (phase.compare_exchange_strong(expected, Phase::ends_now)) {
    remove_unfinished();
    say(fmt::format("{}: interrupted by {} before the first result; no new files are left", program, name_of(signal)));
    ::_exit(128 + signal);
  }
  say(fmt::format(
      "{}: {}: finishing this step and writing the results so far; a second signal ends the program at once", program,
      name_of(signal)));
  // Before `requested`, which cuts work short: the reduction in which that work ends then tells all ranks of the signal.
  tell_ranks_of_signal(signal);
  requested.store(signal);
}

}  // namespace

struct SignalWatch::State {
  std::array<int, 2> ends{-1, -1};
  std::thread thread;
  std::vector<std::pair<int, struct sigaction>> before;
};

SignalWatch::SignalWatch(std::string program) : state_(std::make_unique<State>()) {
  phase.store(Phase::nothing_yet);
  requested.store(0);
  cut.store(false);
  signals_seen.store(0);
  {
    std::scoped_lock const lock(paths_mutex);
    folders_with_partial_files.clear();
    made_folders.clear();
  }
  auto const handle = [this](int signal, void (*handler)(int)) {
    struct sigaction action{};
    struct sigaction old{};
    ::sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) return;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
    state_->before.emplace_back(signal, old);
  };
  for (int const signal : ignored) handle(signal, SIG_IGN);
  if (::pipe2(state_->ends.data(), O_CLOEXEC) != 0) return;  // signals keep their default action
  signal_pipe.store(state_->ends[1]);
  state_->thread = std::thread([program = std::move(program), from = state_->ends[0]] {
    unsigned char byte = 0;
    while (true) {
      auto const got = ::read(from, &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got != 1 || byte == 0) return;
      answer(program, byte);
    }
  });
  for (int const signal : watched) handle(signal, on_signal);
}

SignalWatch::~SignalWatch() {
  for (auto const& [signal, action] : state_->before) ::sigaction(signal, &action, nullptr);
  if (state_->thread.joinable()) {
    unsigned char const end = 0;
    static_cast<void>(!::write(state_->ends[1], &end, 1));
    state_->thread.join();
    signal_pipe.store(-1);
    for (int const descriptor : state_->ends) ::close(descriptor);
  }
}

void keep_results() {
  Phase expected = Phase::nothing_yet;
  if (phase.compare_exchange_strong(expected, Phase::keeps_results) || expected == Phase::keeps_results) return;
  while (true) ::pause();  // the process is ending
}

bool stop_requested() noexcept { return stop_signal() != 0; }
bool signal_arrived() noexcept { return requested.load(std::memory_order_relaxed) != 0 || stop_requested(); }

bool stop_here() noexcept {
  if (!stop_requested()) return false;
  cut.store(true);
  return true;
}

bool was_interrupted() noexcept { return cut.load(); }
int stop_signal() noexcept { return rank_count() > 1 ? signal_of_ranks() : requested.load(std::memory_order_relaxed); }
std::string stop_signal_name() { return name_of(stop_signal()); }

void remove_partial_when_killed(std::filesystem::path const& file) {
  std::error_code error;
  auto const target = std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  std::scoped_lock const lock(paths_mutex);
  folders_with_partial_files.push_back(target.parent_path());
}

void remove_folder_when_killed(std::filesystem::path const& folder) {
  std::error_code error;
  std::scoped_lock const lock(paths_mutex);
  made_folders.push_back(std::filesystem::absolute(folder, error));
}

std::unique_lock<std::mutex> hold_unfinished_files() { return std::unique_lock(paths_mutex); }

void throw_interrupted() {
  static_cast<void>(stop_here());
  throw Interrupted("interrupted by " + stop_signal_name());
}

void pretend_signal(int signal) noexcept {
  requested.store(signal);
  cut.store(false);
}

}  // namespace fltr::examples
