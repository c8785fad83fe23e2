#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// The cascade click model (Guo et al. 2009). A user reads the list from the top. The user clicks a document with a
/// probability that depends on its grade, and after a click stops with another probability. A user never stops without
/// a click.
struct CascadeModel {
  std::vector<double> click_probability;  ///< P(click) by grade
  std::vector<double> stop_probability;   ///< P(stop after a click) by grade

  void click(std::span<Grade const> grades, std::span<std::uint8_t> clicks, Stream& stream) const {
    require(click_probability.size() == stop_probability.size(), "CascadeModel",
            "one stop probability per click probability", stop_probability.size());
    require_probabilities("CascadeModel", "click probabilities in [0, 1]", click_probability);
    require_probabilities("CascadeModel", "stop probabilities in [0, 1]", stop_probability);
    std::ranges::fill(clicks, std::uint8_t{0});
    for (std::size_t i = 0; i < grades.size(); ++i) {
      if (grades[i] >= click_probability.size()) no_probability(grades[i]);
      if (!happens(click_probability[grades[i]], stream)) continue;
      clicks[i] = 1;
      if (happens(stop_probability[grades[i]], stream)) return;
    }
  }

  /// Clicks relevant documents and never stops. Probabilities are given for 2, 3 and 5 grades.
  static CascadeModel perfect(std::size_t grades) {
    switch (grades) {
      case 2:
        return {{0, 1}, {0, 0}};
      case 3:
        return {{0, .5, 1}, {0, 0, 0}};
      case 5:
        return {{0, .2, .4, .8, 1}, {0, 0, 0, 0, 0}};
      default:
        no_table("perfect", grades);
    }
  }
  /// Searches one relevant document: stops after a click on it.
  static CascadeModel navigational(std::size_t grades) {
    switch (grades) {
      case 2:
        return {{.05, .95}, {.2, .9}};
      case 3:
        return {{.05, .5, .95}, {.2, .5, .9}};
      case 5:
        return {{.05, .3, .5, .7, .95}, {.2, .3, .5, .7, .9}};
      default:
        no_table("navigational", grades);
    }
  }
  /// Clicks often, also documents that are not relevant.
  static CascadeModel informational(std::size_t grades) {
    switch (grades) {
      case 2:
        return {{.3, .7}, {.1, .5}};
      case 3:
        return {{.4, .7, .9}, {.1, .3, .5}};
      case 5:
        return {{.4, .6, .7, .8, .9}, {.1, .2, .3, .4, .5}};
      default:
        no_table("informational", grades);
    }
  }
  /// A malicious user: clicks documents that are not relevant.
  static CascadeModel poison(std::size_t grades) {
    switch (grades) {
      case 2:
        return {{1, 0}, {0, 0}};
      case 3:
        return {{1, .5, 0}, {0, 0, 0}};
      case 5:
        return {{1, .8, .4, .2, 0}, {0, 0, 0, 0, 0}};
      default:
        no_table("poison", grades);
    }
  }

 private:
  /// Draws no random number for the probabilities 0 and 1.
  static bool happens(double probability, Stream& stream) {
    if (!(probability > 0.0)) return false;
    return probability >= 1.0 || stream.bernoulli(probability);
  }
  [[noreturn]] void no_probability(Grade grade) const {
    throw_requirement(
        "CascadeModel",
        "grades below " + std::to_string(click_probability.size()) + ", the number of click probabilities", int{grade});
  }
  [[noreturn]] static void no_table(char const* name, std::size_t grades) {
    throw_requirement(std::string("CascadeModel::") + name,
                      "2, 3 or 5 grades (for other numbers, set click_probability and stop_probability)", grades);
  }
};
static_assert(ClickModel<CascadeModel>);

}  // namespace fltr
