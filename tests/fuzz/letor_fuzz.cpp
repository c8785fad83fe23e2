// Whatever the bytes, the reader of LETOR text accepts them or throws ParseError. The result does not depend on the
// chunks in which the text is read. What it accepts can be written and read again.
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fltr/core/error.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/formats/letor_writer.hpp>

#include "fuzz/target.hpp"
#include "support/same_dataset.hpp"

namespace {

struct Reading {
  std::optional<fltr::Dataset> data{};
  std::string error{};
};

Reading read(std::string_view text, fltr::LetorOptions const& options) {
  try {
    return {fltr::parse_letor(text, "text", options), ""};
  } catch (fltr::ParseError const& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

FLTR_FUZZ_TARGET(letor) {
  using fltr::testing::must;
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  fltr::LetorOptions options{.feature_limit = 64, .threads = 1};
  for (auto const returning : {fltr::ReturningQid::error, fltr::ReturningQid::merge}) {
    options.returning_qid = returning;
    options.chunk_bytes = std::size_t{1} << 20U;
    Reading const whole = read(text, options);
    options.chunk_bytes = 7;
    Reading const chunks = read(text, options);
    must(whole.data.has_value() == chunks.data.has_value() && whole.error == chunks.error);
    if (!whole.data) continue;
    must(fltr::testing::same_dataset(*whole.data, *chunks.data));
    std::ostringstream written;
    try {
      fltr::write_letor(*whole.data, written);
    } catch (std::invalid_argument const&) {  // a qid or a docid that LETOR text cannot hold
      continue;
    }
    Reading const again = read(written.str(), options);
    must(again.data && fltr::testing::same_dataset(*whole.data, *again.data));
  }
}
