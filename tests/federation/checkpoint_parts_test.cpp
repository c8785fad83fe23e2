// What several processes agree on. Whole sets of parts: checkpoint_test.cpp.

#include <fltr/federation/detail/checkpoint_parts.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "frame/ranks.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr;
using fltr::testing::Ranks;

TEST_CASE("All ranks know of every round that any of them saved, and of the last one that any of them began") {
  fltr::testing::TemporaryFolder const place;
  std::array<std::uint32_t, 3> const begun{5, 9, 7};
  detail::SavedRounds first;
  CHECK(Ranks::run(3, [&](Ranks const& ranks) {
    auto const rank = static_cast<std::uint32_t>(ranks.rank());
    CheckpointFolder const folder(place.path() / std::to_string(rank), rank, 3);  // on a disk of each rank
    folder.write("training", {.round = 4}, {}, {});
    folder.write("training", {.round = 5 + rank % 2}, {}, {});
    folder.note_begun("training", begun[rank], false, rank != 2);
    auto const saved = detail::saved_rounds(ranks, folder, "training");
    if (saved.begun != 9 || saved.ended || saved.rounds != std::vector<std::uint32_t>{6, 5, 4})
      throw std::runtime_error("other");
    if (rank == 0) first = saved;
  }));
  CHECK(first.begun == 9);
  CHECK(first.rounds == std::vector<std::uint32_t>{6, 5, 4});
}
