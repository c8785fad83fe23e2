#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

/// The Jensen-Shannon divergence of two distributions that are given by counts, with logarithms to base 2: 0 for equal
/// distributions, 1 for distributions without a common grade. 0 if one of them has no counts. Requires equal sizes.
[[nodiscard]] inline double jensen_shannon(std::span<std::uint64_t const> a, std::span<std::uint64_t const> b) {
  double total_a = 0.0;
  double total_b = 0.0;
  for (std::uint64_t const n : a) total_a += static_cast<double>(n);
  for (std::uint64_t const n : b) total_b += static_cast<double>(n);
  if (total_a == 0.0 || total_b == 0.0) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const p = static_cast<double>(a[i]) / total_a;
    double const q = static_cast<double>(b[i]) / total_b;
    double const middle = 0.5 * (p + q);
    if (p > 0.0) sum += 0.5 * p * math::log2(p / middle);
    if (q > 0.0) sum += 0.5 * q * math::log2(q / middle);
  }
  return sum < 0.0 ? 0.0 : sum > 1.0 ? 1.0 : sum;
}

/// What a client has, and how far it is from the whole.
struct ClientSkew {
  ClientId id = 0;
  std::uint32_t interactions = 0;  ///< per round
  std::uint64_t queries = 0;
  std::uint64_t documents = 0;  ///< pairs of a query and a document
  double divergence = 0.0;      ///< of its grades from those of all clients: Jensen-Shannon, base 2, in [0, 1]

  auto fields(auto&& visit) { return visit(id, interactions, queries, documents, divergence); }
};

/// How the clients of a population differ (see describe). The whole is the sum of the clients: a document that two
/// clients have is counted twice.
struct SkewReport {
  std::vector<ClientSkew> clients;          ///< in the order of the population
  std::vector<std::uint64_t> grade_counts;  ///< documents by client and grade: grade_count numbers for each client
  std::vector<std::uint64_t> whole;         ///< documents by grade, of all clients
  std::uint64_t queries = 0;                ///< of all clients
  std::uint64_t documents = 0;              ///< of all clients
  std::uint64_t interactions = 0;           ///< of all clients, per round
  std::uint64_t without_documents = 0;      ///< the number of clients without documents
  double mean_divergence = 0.0;             ///< of the clients that have documents
  double weighted_divergence = 0.0;         ///< weighted by the number of documents

  /// The number of grades: the highest grade that occurs, plus 1.
  [[nodiscard]] std::size_t grade_count() const noexcept { return whole.size(); }
  /// The documents of client i by grade.
  [[nodiscard]] std::span<std::uint64_t const> grades_of(std::size_t i) const& noexcept {
    return std::span(grade_counts).subspan(i * whole.size(), whole.size());
  }
  void grades_of(std::size_t) const&& = delete;

  auto fields(auto&& visit) {
    return visit(clients, grade_counts, whole, queries, documents, interactions, without_documents, mean_divergence,
                 weighted_divergence);
  }
  /// Whether the counts have one row for each client.
  [[nodiscard]] bool consistent() const noexcept { return grade_counts.size() == clients.size() * whole.size(); }
};
static_assert(HasFields<SkewReport>);

}  // namespace fltr
