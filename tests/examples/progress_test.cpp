#include "support/progress.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace fltr::examples;

TEST_CASE("The progress line shows round, rate, nDCG and time left") {
  ProgressState const state{
      .run = 1, .runs = 1, .round = 250, .rounds = 1000, .interactions = 1'000'000, .seconds = 10, .ndcg = 0.45678};
  CHECK(progress_line(state, 100, false) ==
        "[#####...............] round 250/1000  100k/s  nDCG@10 0.4568  30.0 s left");
}

TEST_CASE("The progress line may count something other than rounds") {
  CHECK(progress_line({.round = 3, .rounds = 12, .seconds = 10, .unit = "training"}, 100, false) ==
        "[#####...............] training 3/12  30.0 s left");
}

TEST_CASE("The time left counts all runs") {
  // The third run of four, half done: 5/8 in 50 s, 30 s left.
  ProgressState const state{.run = 3, .runs = 4, .round = 5, .rounds = 10, .interactions = 0, .seconds = 50};
  std::string const line = progress_line(state, 100, true);
  CHECK_THAT(line, ContainsSubstring("run 3/4 round 5/10"));
  CHECK_THAT(line, ContainsSubstring("30.0 s left"));
  CHECK_THAT(line, !ContainsSubstring("nDCG"));
}

TEST_CASE("The progress line keeps to the terminal's width") {
  ProgressState state{.run = 2, .runs = 9, .rounds = 1000, .interactions = 12345, .seconds = 3, .ndcg = 0.5};
  for (std::size_t width = 1; width < 130; ++width)
    for (std::uint64_t const round : {0U, 1U, 500U, 1000U, 2000U}) {
      state.round = round;
      CHECK(character_count(progress_line(state, width, true)) <= width);
      CHECK(character_count(progress_line(state, width, false)) <= width);
    }
  CHECK_FALSE(progress_line({}, 80, true).empty());
}

TEST_CASE("A run without rounds shows its current stage, and the bar is full only after the last stage") {
  ProgressState state{.round = 1, .rounds = 1, .seconds = 6, .stage = ProgressStage{3, 4, "training M_full"}};
  CHECK(progress_line(state, 100, false) == "[##########..........] step 3/4: training M_full");
  state.stage->number = 1;
  CHECK(progress_line(state, 100, false) == "[....................] step 1/4: training M_full");
}
