#include "round_watch.hpp"

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "interruption.hpp"
#include "ranks.hpp"
#include "terminal.hpp"

namespace fltr::examples {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A line on stderr, in place of the progress bar if there is one.
void say_once(double minutes) {
  static std::atomic<bool> said = false;
  if (!is_first_rank() || said.exchange(true)) return;
  std::string const line = fmt::format(
      "{}the rounds so far predict that this run takes about {:.0f} minutes; Ctrl-C ends it and keeps them\n",
      Terminal::of(stderr).interactive ? "\r\x1b[K" : "", minutes);
  std::fputs(line.c_str(), stderr);
}

}  // namespace

RoundWatch::RoundWatch() : RoundWatch(seconds_now, say_once) {}

RoundWatch::Rounds::Rounds(RoundWatch& watch, std::uint32_t count) : watch_(watch) {
  watch_.count_ = count;
  watch_.over_ = 0;
  watch_.start_ = watch_.round_ = watch_.reduction_ = watch_.now_();
  watch_.question_ = first_question;
  ++watch_.running_;
}

RoundWatch::Rounds::Pause::Pause(RoundWatch& of) : watch(of), begin(of.now_()) { --watch.running_; }

RoundWatch::Rounds::Pause::~Pause() {
  ++watch.over_;
  watch.round_ = watch.now_();
  watch.start_ += watch.round_ - begin;
  ++watch.running_;
}

double RoundWatch::long_run_minutes(double seconds, double done, double rounds) noexcept {
  if (seconds < first_question || done <= 0.0) return 0.0;
  double const minutes = seconds / 60.0 * rounds / done;
  return minutes > 10.0 ? minutes : 0.0;
}

void RoundWatch::begin() noexcept {
  started_ = 0;
  if (running_.load(std::memory_order_relaxed) > 0) reduction_ = now_();
}

bool RoundWatch::stops(std::size_t blocks) noexcept {
  if (running_.load(std::memory_order_relaxed) == 0) return false;
  if (blocks > 0) {
    std::size_t const started = started_.fetch_add(1, std::memory_order_relaxed);
    if (!said_.load(std::memory_order_relaxed)) predict(started, blocks, now_());
  }
  return signal_arrived();
}

void RoundWatch::predict(std::size_t started, std::size_t blocks, double now) {
  double question = question_.load(std::memory_order_relaxed);
  double const seconds = now - start_;
  if (seconds < question || !question_.compare_exchange_strong(question, 2 * seconds)) return;
  // The part of this round that is over, if its other blocks take as long as those that were started.
  double const before = reduction_ - round_;
  double const round =
      before + (started > 0 ? (now - reduction_) * static_cast<double>(blocks) / static_cast<double>(started) : 0.0);
  double const part = started > 0 && round > 0.0 ? (now - round_) / round : 0.0;
  double const minutes = long_run_minutes(seconds, over_ + part, count_);
  if (minutes > 0.0 && !said_.exchange(true)) say_(minutes);
}

}  // namespace fltr::examples
