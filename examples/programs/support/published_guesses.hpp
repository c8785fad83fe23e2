#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "options.hpp"

namespace fltr::examples {

/// A row of table 4 of Pham (2022), as printed there.
struct PublishedGuess {
  double accuracy;
  double precision;
  double recall;
};

/// The published row of a guess for a click behaviour: of MSLR-WEB10K for data with 5 grades, of MQ2007 for data with 3
/// grades; none for other data and for guesses that the paper does not have.
[[nodiscard]] inline std::optional<PublishedGuess> published_guess(std::string_view guess, Clicks clicks,
                                                                   std::size_t grades) {
  struct Rows {
    std::string_view guess;
    std::array<PublishedGuess, 3> mslr;  // perfect, navigational, informational
    std::array<PublishedGuess, 3> mq2007;
  };
  static constexpr std::array<Rows, 6> table{{
      {"random-3",
       {{{.59, .26, .30}, {.64, .16, .30}, {.58, .32, .30}}},
       {{{.57, .33, .30}, {.64, .14, .30}, {.58, .29, .29}}}},
      {"random-4",
       {{{.55, .26, .40}, {.57, .16, .39}, {.54, .32, .40}}},
       {{{.53, .33, .40}, {.57, .14, .39}, {.55, .31, .41}}}},
      {"higher-score",
       {{{.53, .30, .52}, {.55, .25, .65}, {.57, .43, .67}}},
       {{{.56, .40, .58}, {.56, .24, .73}, {.57, .41, .68}}}},
      {"higher-probability",
       {{{.63, .35, .33}, {.71, .35, .50}, {.67, .54, .48}}},
       {{{.60, .44, .48}, {.69, .35, .66}, {.65, .51, .58}}}},
      {"higher-distance",
       {{{.53, .30, .57}, {.56, .22, .72}, {.60, .41, .73}}},
       {{{.56, .39, .61}, {.56, .20, .75}, {.59, .39, .71}}}},
      {"least-squares",
       {{{.88, .75, .94}, {.81, .57, .93}, {.85, .72, .92}}},
       {{{.88, .80, .93}, {.84, .63, .94}, {.88, .77, .94}}}},
  }};
  if (grades != 3 && grades != 5) return std::nullopt;
  for (Rows const& rows : table)
    if (rows.guess == guess) return (grades == 5 ? rows.mslr : rows.mq2007)[static_cast<std::size_t>(clicks)];
  return std::nullopt;
}

}  // namespace fltr::examples
