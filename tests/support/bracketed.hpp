#pragma once

#include <cstddef>
#include <string>

namespace fltr::testing {

/// A result whose merge is neither associative nor commutative: it writes down who was joined with whom.
struct Bracketed {
  std::string text;

  static Bracketed leaf(std::size_t i) { return {std::to_string(i)}; }
  void merge(Bracketed const& other) { text = '(' + text + ' ' + other.text + ')'; }
};

}  // namespace fltr::testing
