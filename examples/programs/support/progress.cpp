#include "progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

namespace {

/// A bar of `width` characters whose fraction `part` is filled: in eighths of a character with `utf8`.
std::string bar(double part, std::size_t width, bool utf8) {
  constexpr std::array<std::string_view, 8> eighths{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto const filled = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(width * 8));
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    std::size_t const here = std::min<std::size_t>(filled > 8 * i ? filled - 8 * i : 0, 8);
    text += here == 8 ? (utf8 ? "█" : "#") : utf8 ? std::string(eighths[here]) : here >= 4 ? "#" : ".";
  }
  return text;
}

}  // namespace

std::string progress_line(ProgressState const& state, std::size_t width, bool utf8) {
  double const before = static_cast<double>(state.run - std::min<std::size_t>(state.run, 1));
  double within = state.rounds > 0 ? static_cast<double>(state.round) / static_cast<double>(state.rounds) : 0.0;
  if (state.stage)
    within = static_cast<double>(state.stage->number - 1) /
             static_cast<double>(std::max<std::size_t>(state.stage->count, 1));
  double const part = (before + within) / static_cast<double>(std::max<std::size_t>(state.runs, 1));

  std::string text;
  if (state.runs > 1) text += fmt::format(" run {}/{}", state.run, state.runs);
  if (state.stage)
    text += fmt::format(" step {}/{}: {}", state.stage->number, state.stage->count, state.stage->name);
  else
    text += fmt::format(" {} {}/{}", state.unit, state.round, state.rounds);
  if (state.seconds > 0 && state.interactions > 0)
    text += fmt::format("  {}/s", abbreviated(static_cast<double>(state.interactions) / state.seconds));
  if (state.ndcg) text += fmt::format("  nDCG@10 {:.4f}", *state.ndcg);
  if (part > 0 && state.seconds > 0 && !state.stage)  // the durations of stages are not known
    text += fmt::format("  {} left", duration(state.seconds * (1 - part) / part));
  std::size_t const room = width > text.size() + 2 ? width - text.size() - 2 : 0;
  if (room < 5) return text.substr(0, width);
  return '[' + bar(part, std::min<std::size_t>(room, 20), utf8) + ']' + text;
}

Progress::Progress(bool quiet) : terminal_(Terminal::of(stderr)), quiet_(quiet || !terminal_.interactive) {}

void Progress::show(ProgressState const& state, bool at_once) {
  if (quiet_) return;
  double const now = clock_.seconds();
  if (now < next_ && !at_once) return;
  next_ = now + 0.1;
  terminal_ = Terminal::of(stderr);  // it may have been resized
  // Return to the first column, write the line, erase the rest of the old line.
  fmt::print(stderr, "\r{}\x1b[K", progress_line(state, terminal_.width > 1 ? terminal_.width - 1 : 1, terminal_.utf8));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace fltr::examples
