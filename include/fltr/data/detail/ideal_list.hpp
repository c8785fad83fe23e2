#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fltr/core/error.hpp>
#include <fltr/data/grade.hpp>

namespace fltr::detail {

/// Writes the grades of one query into `ideal`, from the highest to the lowest. `ideal` has the size of `grades`.
/// Throws std::invalid_argument with the name `who` if a grade is above `largest_grade`. O(documents).
inline void write_ideal_list(std::string_view who, std::span<Grade const> grades, std::span<Grade> ideal) {
  std::array<std::uint32_t, largest_grade + 1> count{};
  for (Grade const grade : grades) {
    require(grade <= largest_grade, who, "grades of 0 to 30", int{grade});
    ++count[grade];
  }
  auto out = ideal.begin();
  for (std::size_t grade = count.size(); grade-- > 0;) out = std::fill_n(out, count[grade], static_cast<Grade>(grade));
}

}  // namespace fltr::detail
