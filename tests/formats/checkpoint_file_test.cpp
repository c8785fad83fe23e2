// The layout of a checkpoint file. Damage and other runs: checkpoint_test.cpp.

#include <fltr/formats/checkpoint_file.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("A checkpoint is its header, its state and its log, and nothing before or behind them") {
  CheckpointHeader const header{.round = 7, .rank = 1, .ranks = 3, .set = {5, 6}};
  auto const parse = [&](std::uint64_t state, std::uint64_t log) {  // of ten bytes
    auto payload = field_bytes(detail::CheckpointPreamble{header, state, log});
    for (int i = 0; i < 10; ++i) payload.push_back(std::byte(i));
    return parse_checkpoint(enclose(detail::checkpoint_format, payload));
  };
  auto const sound = parse(6, 4);
  CHECK(sound.header.round == 7);
  CHECK(sound.header.set == ContentHash{5, 6});
  CHECK(sound.state.size() == 6);
  REQUIRE(sound.log.size() == 4);
  CHECK(sound.log.front() == std::byte{6});
  CHECK(parse(10, 0).log.empty());
  CHECK(parse(0, 10).state.empty());
  for (auto const& [state, log] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {6, 3}, {6, 5}, {5, 4}, {11, 0}, {0, 11}, {11, ~std::uint64_t{0}}, {~std::uint64_t{0}, 11}})
    CHECK_THROWS_WITH(parse(state, log), "the sizes in the checkpoint do not agree");
}
