#include "option.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

std::string Range::text() const {
  bool const from = least > std::numeric_limits<double>::lowest();
  bool const to = most < std::numeric_limits<double>::max();
  std::string const low = fmt::format(fmt::runtime(least_included ? "from {}" : "above {}"), shortest(least));
  std::string const high = fmt::format(fmt::runtime(most_included ? "to {}" : "below {}"), shortest(most));
  if (from && to && !least_included && most_included) return fmt::format("a number {} and up {}", low, high);
  if (from && to) return fmt::format("a number {} {}", low, most_included ? high : "and " + high);
  if (from) return least_included ? fmt::format("a number of at least {}", shortest(least)) : "a number " + low;
  if (to) return most_included ? fmt::format("a number of at most {}", shortest(most)) : "a number " + high;
  return "a number";
}

std::string Option::key() const {
  std::string key = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  std::ranges::replace(key, '-', '_');
  return key;
}

}  // namespace fltr::examples
