#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/partition/detail/grade_units.hpp>
#include <fltr/partition/divide_by.hpp>
#include <fltr/partition/regrouped_population.hpp>

namespace fltr {

/// Non-IID type 2 (Wang 2024, section 4.4.1, after Li et al. 2022): each client has documents of `labels_per_client`
/// grades only. All combinations of that many grades are assigned to clients in a random order, each to the same number
/// of clients, or some to one client more. The documents of a grade are divided randomly and equally among the clients that have the grade. Each
/// document belongs to exactly one client.
///
///     auto const clients = fltr::ByLabel{.labels_per_client = 1}.split(std::move(train));
struct ByLabel {
  std::size_t labels_per_client = 1;  ///< #R
  std::size_t clients = 0;            ///< at least the number of combinations; 0: one client for each combination
  std::uint32_t interactions = 5;     ///< per client and round
  DivideBy divide_by = DivideBy::documents;
  std::uint64_t seed = 1;  ///< of the order of combinations and documents

  /// The grades of each client, in ascending order.
  template <class = void>
  [[nodiscard]] std::vector<std::vector<Grade>> grades_of_clients(std::size_t grade_count) const {
    require(grade_count <= largest_grade + 1, "ByLabel", "at most 31 grades", grade_count);
    require(labels_per_client >= 1 && labels_per_client <= grade_count, "ByLabel",
            "labels_per_client of 1 to " + std::to_string(grade_count) + ", the number of grades", labels_per_client);
    auto sets = combinations(grade_count);
    std::size_t const wanted = clients == 0 ? sets.size() : clients;
    // With fewer clients, nobody might have the documents of some grade.
    require(wanted >= sets.size(), "ByLabel",
            "at least " + std::to_string(sets.size()) + " clients, one for each choice of " +
                std::to_string(labels_per_client) + " of " + std::to_string(grade_count) + " grades",
            wanted);
    auto stream = Streams{seed, 0, 0xFFFF'FFFFU}.of(Purpose::partition);
    stream.shuffle(std::span(sets));
    std::vector<std::vector<Grade>> out;
    out.reserve(wanted);
    for (std::size_t i = 0; i < wanted; ++i) out.push_back(sets[i % sets.size()]);
    return out;
  }

  /// The population takes the Dataset. Write the copy, if the Dataset is needed later: `split(Dataset(data))`.
  template <class = void>
  [[nodiscard]] RegroupedPopulation split(Dataset&& data) const {
    require(data.document_count() > 0, "ByLabel", "a dataset with at least one document", data.document_count());
    auto const grades = grades_of_clients(data.grade_count());
    std::vector<std::vector<std::uint32_t>> owners(data.grade_count());
    for (std::size_t i = 0; i < grades.size(); ++i)
      for (Grade const grade : grades[i]) owners[grade].push_back(static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> client_of(data.document_count());
    auto const units = detail::grade_units(data, divide_by, seed);
    for (std::size_t grade = 0; grade < units.size(); ++grade) {
      std::size_t const share = owners[grade].size();
      for (std::size_t k = 0; k < share; ++k) {
        std::size_t const from = k * units[grade].size() / share;
        std::size_t const to = (k + 1) * units[grade].size() / share;
        detail::assign_units(data, divide_by, grade, std::span(units[grade].units).subspan(from, to - from),
                             owners[grade][k], client_of);
      }
    }
    return {std::move(data), client_of, grades.size(), interactions};
  }

 private:
  /// All choices of `labels_per_client` grades.
  [[nodiscard]] std::vector<std::vector<Grade>> combinations(std::size_t grade_count) const {
    constexpr std::size_t most = 1'000'000;
    std::vector<std::vector<Grade>> out;
    // Bit k of a set stands for grade k. The next set is the next larger number with as many bits.
    for (std::uint64_t set = (std::uint64_t{1} << labels_per_client) - 1; set < std::uint64_t{1} << grade_count;) {
      require(out.size() < most, "ByLabel", "at most 1,000,000 combinations of grades", "more");
      out.emplace_back();
      for (std::size_t grade = 0; grade < grade_count; ++grade)
        if ((set >> grade & 1U) != 0) out.back().push_back(static_cast<Grade>(grade));
      std::uint64_t const lowest = set & (~set + 1);
      std::uint64_t const carried = set + lowest;
      set = carried | (((carried ^ set) >> 2U) / lowest);
    }
    return out;
  }
};
static_assert(Partitioner<ByLabel>);

}  // namespace fltr
