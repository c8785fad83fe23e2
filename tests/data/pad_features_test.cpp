#include <fltr/data/pad_features.hpp>

#include <string>
#include <utility>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"

using fltr::pad_features;
using fltr::parse_letor;

TEST_CASE("pad_features gives the Dataset that a reader with more features gives") {
  std::string const text = "1 qid:a 1:1 7:7 #docid = A1\n2 qid:b 2:2\n0 qid:b 6:3\n";
  for (std::size_t const features : {7U, 8U, 9U, 16U, 17U, 700U})
    CHECK(fltr::testing::same_dataset(pad_features(parse_letor(text, "x"), features),
                                      parse_letor(text, "x", {.feature_count = features})));
  CHECK_THROWS_AS(pad_features(parse_letor(text, "x"), 6), std::invalid_argument);
}

TEST_CASE("pad_features within the padding of the rows copies nothing") {
  auto data = parse_letor("1 qid:a 1:1 7:7\n", "x");
  auto const* const before = data.parts().features.data();
  auto const widened = pad_features(std::move(data), 8);
  CHECK(widened.parts().features.data() == before);
}
