#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fltr/core/error.hpp>

namespace fltr {

/// The displayed documents of one list by guess and truth.
struct GuessCounts {
  std::size_t clicked_guessed = 0;
  std::size_t clicked_missed = 0;
  std::size_t unclicked_guessed = 0;
  std::size_t unclicked_left = 0;

  /// Compares guesses with clicks. Both have one value for each document, 0 or not 0.
  [[nodiscard]] static GuessCounts of(std::span<std::uint8_t const> guessed, std::span<std::uint8_t const> clicks) {
    require(guessed.size() == clicks.size(), "GuessCounts", "as many guesses as documents", guessed.size());
    GuessCounts out;
    for (std::size_t i = 0; i < clicks.size(); ++i) {
      std::size_t& cell = clicks[i] != 0 ? (guessed[i] != 0 ? out.clicked_guessed : out.clicked_missed)
                                         : (guessed[i] != 0 ? out.unclicked_guessed : out.unclicked_left);
      ++cell;
    }
    return out;
  }

  [[nodiscard]] std::size_t clicked() const noexcept { return clicked_guessed + clicked_missed; }
  [[nodiscard]] std::size_t unclicked() const noexcept { return unclicked_guessed + unclicked_left; }
  [[nodiscard]] std::size_t guessed() const noexcept { return clicked_guessed + unclicked_guessed; }
};

/// The quality of a guess: means over lists (pham2022). A list without a click does not count.
///
/// | measure           | of one list                                                    | lists that count          |
/// | ----------------- | -------------------------------------------------------------- | ------------------------- |
/// | accuracy          | share of documents that are guessed right                      | all with a click          |
/// | precision         | share of clicked documents among the guessed ones              | those with a guess        |
/// | recall            | share of guessed documents among the clicked ones              | all with a click          |
/// | balanced_accuracy | mean of the recall and of the share of unclicked documents     | those that also have an   |
/// |                   | that are not guessed; any guess without information has 1/2    | unclicked document        |
///
/// A mean over no list is NaN.
class GuessQuality {
 public:
  void add(GuessCounts const& list) {
    if (list.clicked() == 0) return;
    std::size_t const right = list.clicked_guessed + list.unclicked_left;
    double const recall_of_list = share(list.clicked_guessed, list.clicked());
    accuracy_.add(share(right, list.clicked() + list.unclicked()));
    recall_.add(recall_of_list);
    if (list.guessed() > 0) precision_.add(share(list.clicked_guessed, list.guessed()));
    if (list.unclicked() > 0)
      balanced_accuracy_.add((recall_of_list + share(list.unclicked_left, list.unclicked())) / 2.0);
  }

  /// The number of lists with a click.
  [[nodiscard]] std::size_t lists() const noexcept { return accuracy_.count; }
  [[nodiscard]] double accuracy() const noexcept { return accuracy_.mean(); }
  [[nodiscard]] double precision() const noexcept { return precision_.mean(); }
  [[nodiscard]] double recall() const noexcept { return recall_.mean(); }
  [[nodiscard]] double balanced_accuracy() const noexcept { return balanced_accuracy_.mean(); }

 private:
  struct Mean {
    double sum = 0.0;
    std::size_t count = 0;
    void add(double value) noexcept {
      sum += value;
      ++count;
    }
    [[nodiscard]] double mean() const noexcept {
      return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    }
  };
  [[nodiscard]] static double share(std::size_t part, std::size_t whole) noexcept {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  Mean accuracy_;
  Mean precision_;
  Mean recall_;
  Mean balanced_accuracy_;
};

/// A guess about a target client, and the same guess from the message of another client instead.
///
/// A good ranker puts the documents on top that users click, and a guess that follows the ranker is right without any
/// leak. The advantage is what the target's message adds: the balanced accuracy, minus that of the same guess when the
/// target client is replaced by another one (the control). Both are compared with the target's clicks.
struct GuessAdvantage {
  GuessQuality target;
  GuessQuality control;

  [[nodiscard]] double advantage() const noexcept { return target.balanced_accuracy() - control.balanced_accuracy(); }
};

}  // namespace fltr
