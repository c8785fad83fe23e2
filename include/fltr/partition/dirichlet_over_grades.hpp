#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/partition/detail/dirichlet_shares.hpp>
#include <fltr/partition/detail/grade_units.hpp>
#include <fltr/partition/divide_by.hpp>
#include <fltr/partition/regrouped_population.hpp>

namespace fltr {

/// How the shares of the clients in the documents of each grade are drawn. In both variants a grade has shares of its
/// own, a draw of the Dirichlet distribution over the clients. (Hsu et al. 2019 draw a distribution over the grades for
/// each client instead, which does not fix how many documents a client has. That variant is not implemented.)
enum class DirichletVariant : std::uint8_t {
  per_grade,         ///< Yurochkin et al. 2019, and the text of Li et al. 2022
  per_grade_capped,  ///< the code of Li et al. 2022: a client with its mean number of documents or more gets no further
                     ///< grade; grades are divided in ascending order
};

/// Clients with different shares of each grade: the documents of a grade are divided among the clients by shares that
/// are a draw of the Dirichlet distribution with concentration `alpha`. Each document belongs to exactly one client.
struct DirichletOverGrades {
  double alpha = 0.5;  ///< small: few clients have nearly all documents of a grade; large: equal shares
  std::size_t clients = 10;
  std::uint32_t interactions = 5;  ///< per client and round
  DirichletVariant variant = DirichletVariant::per_grade;
  DivideBy divide_by = DivideBy::documents;
  std::size_t minimum_documents = 1;  ///< of every client; shares are drawn again until they give it
  std::uint32_t most_tries = 100;     ///< draws until the error that the minimum was not reached
  std::uint64_t seed = 1;

  /// The population takes the Dataset. Write the copy, if the Dataset is needed later: `split(Dataset(data))`.
  template <class = void>
  [[nodiscard]] RegroupedPopulation split(Dataset&& data) const {
    constexpr char const* who = "DirichletOverGrades";
    detail::require_concentration(who, alpha);
    require(clients > 0 && clients <= 0xFFFFFFFFU, who, "1 to 2^32 - 1 clients", clients);
    require(most_tries > 0, who, "most_tries >= 1", most_tries);
    require(minimum_documents * clients <= data.document_count(), who,
            std::to_string(minimum_documents) + " documents for each of " + std::to_string(clients) + " clients",
            std::to_string(data.document_count()) + " documents in all");
    auto const units = detail::grade_units(data, divide_by, seed);
    auto const ends = drawn_ends(units, data.document_count());
    std::vector<std::uint32_t> client_of(data.document_count());
    for (std::size_t grade = 0; grade < units.size(); ++grade) {
      std::size_t from = 0;
      for (std::size_t i = 0; i < clients; ++i) {
        std::size_t const to = ends[grade][i];
        detail::assign_units(data, divide_by, grade, std::span(units[grade].units).subspan(from, to - from),
                             static_cast<std::uint32_t>(i), client_of);
        from = to;
      }
    }
    return {std::move(data), client_of, clients, interactions};
  }

 private:
  using Ends = std::vector<std::vector<std::size_t>>;  // by grade and client

  [[nodiscard]] Ends drawn_ends(std::vector<detail::GradeUnits> const& units, std::size_t documents) const {
    std::uint64_t best = 0;
    std::vector<std::uint64_t> held(clients);
    for (std::uint32_t t = 1; t <= most_tries; ++t) {
      held.assign(clients, 0);
      Ends ends;
      for (std::size_t grade = 0; grade < units.size(); ++grade) {
        auto stream = Streams{seed, t, static_cast<std::uint32_t>(grade)}.of(Purpose::partition);
        auto shares = detail::dirichlet_shares(clients, alpha, stream);
        if (variant == DirichletVariant::per_grade_capped) cap(shares, held, documents);
        ends.push_back(detail::cut_by_shares(units[grade].size(), shares));
        std::size_t from = 0;
        for (std::size_t i = 0; i < clients; ++i) {
          held[i] += units[grade].documents_before(ends[grade][i]) - units[grade].documents_before(from);
          from = ends[grade][i];
        }
      }
      std::uint64_t const smallest = *std::ranges::min_element(held);
      if (smallest >= minimum_documents) return ends;
      best = std::max(best, smallest);
    }
    throw_requirement("DirichletOverGrades",
                      "at least minimum_documents = " + std::to_string(minimum_documents) + " documents for each of " +
                          std::to_string(clients) + " clients with alpha " + number_text(alpha),
                      "a client with " + std::to_string(best) + " in the best of " + std::to_string(most_tries) +
                          " draws (a minimum of 0 allows clients without documents)");
  }

  /// Sets the shares of clients that have `documents` / `clients` documents or more to 0 and scales the others to the
  /// sum 1. If the others have no share, nothing is changed.
  void cap(std::span<double> shares, std::span<std::uint64_t const> held, std::size_t documents) const {
    auto const full = [&](std::size_t i) { return held[i] * clients >= documents; };
    double left = 0.0;
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (!full(i)) left += shares[i];
    if (!(left > 0.0)) return;
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = full(i) ? 0.0 : shares[i] / left;
  }
};
static_assert(Partitioner<DirichletOverGrades>);

}  // namespace fltr
