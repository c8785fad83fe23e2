#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/partition/divide_by.hpp>

namespace fltr::detail {

/// The documents of one grade in a random order, in units that stay together.
struct GradeUnits {
  std::vector<std::uint32_t> units;           // numbers of documents or of queries
  std::vector<std::uint64_t> documents_to{};  // by queries: the documents of the first k units

  [[nodiscard]] std::size_t size() const noexcept { return units.size(); }
  /// The number of documents of the first `k` units.
  [[nodiscard]] std::uint64_t documents_before(std::size_t k) const noexcept {
    return documents_to.empty() ? k : documents_to[k];
  }
};

/// The units of each grade of a Dataset.
[[nodiscard]] inline std::vector<GradeUnits> grade_units(Dataset const& data, DivideBy divide, std::uint64_t seed) {
  std::vector<GradeUnits> out(data.grade_count());
  std::vector<std::uint32_t> count(data.grade_count());
  for (std::size_t q = 0; q < data.size(); ++q) {
    if (divide == DivideBy::queries) count.assign(count.size(), 0);
    auto document = static_cast<std::uint32_t>(data.first_document(q));
    for (Grade const grade : data[q].grades()) {
      if (divide == DivideBy::documents)
        out[grade].units.push_back(document++);
      else if (count[grade]++ == 0)
        out[grade].units.push_back(static_cast<std::uint32_t>(q));
    }
  }
  for (std::size_t grade = 0; grade < out.size(); ++grade) {
    auto& [units, documents_to] = out[grade];
    auto stream = Streams{seed, 0, static_cast<std::uint32_t>(grade)}.of(Purpose::partition);
    stream.shuffle(std::span(units));
    if (divide == DivideBy::documents) continue;
    documents_to.push_back(0);
    for (std::uint32_t const q : units) {
      std::uint64_t of_grade = 0;
      for (Grade const other : data[q].grades()) of_grade += other == grade ? 1U : 0U;
      documents_to.push_back(documents_to.back() + of_grade);
    }
  }
  return out;
}

/// Gives some units of a grade to a client.
inline void assign_units(Dataset const& data, DivideBy divide, std::size_t grade, std::span<std::uint32_t const> units,
                         std::uint32_t client, std::span<std::uint32_t> client_of_document) {
  for (std::uint32_t const unit : units) {
    if (divide == DivideBy::documents) {
      client_of_document[unit] = client;
      continue;
    }
    std::size_t const first = data.first_document(unit);
    auto const grades = data[unit].grades();
    for (std::size_t d = 0; d < grades.size(); ++d)
      if (grades[d] == grade) client_of_document[first + d] = client;
  }
}

}  // namespace fltr::detail
