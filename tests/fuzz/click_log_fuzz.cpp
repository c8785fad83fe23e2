// Whatever the bytes, the reader of click logs accepts them or throws ParseError. Every log that it accepts passes
// ClickLog::check.
#include <cstddef>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/click_log_reader.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "fuzz/target.hpp"

FLTR_FUZZ_TARGET(click_log) {
  static fltr::Dataset const queries = fltr::parse_letor(
      "1 qid:10 1:1 # docid = a\n0 qid:10 1:2 # docid = b\n2 qid:10 1:3 # docid = c\n0 qid:20 1:4 # docid = a\n1 "
      "qid:20 1:5 # docid = d\n",
      "queries", {.threads = 1});
  try {
    auto const logs = fltr::parse_click_log({reinterpret_cast<char const*>(data), size}, "log", queries);
    fltr::testing::must(logs.clients.size() == logs.logs.size());
    for (fltr::ClickLog const& log : logs.logs) log.check(queries);
  } catch (fltr::ParseError const&) {
  }
}
