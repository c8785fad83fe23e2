#include <fltr/click_models/no_clicks.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("NoClicks writes zeros and draws no random number") {
  fltr::Stream stream(74);
  fltr::Stream const before = stream;
  std::vector<fltr::Grade> const list{4, 4, 4};
  std::vector<std::uint8_t> clicks{1, 0, 1};
  fltr::NoClicks{}.click(list, clicks, stream);
  CHECK(clicks == std::vector<std::uint8_t>{0, 0, 0});
  CHECK(stream() == fltr::Stream(before)());
}
