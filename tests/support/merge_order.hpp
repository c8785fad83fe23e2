#pragma once

#include <cstddef>
#include <string>

namespace fltr::testing {

/// A result that records the order of merges as brackets, such as "((0 1) 2)". Its merge is neither associative nor
/// commutative.
struct MergeOrder {
  std::string text;

  static MergeOrder leaf(std::size_t i) { return {std::to_string(i)}; }
  void merge(MergeOrder const& other) { text = '(' + text + ' ' + other.text + ')'; }
};

}  // namespace fltr::testing
