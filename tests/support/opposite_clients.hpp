#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr::testing {

/// Clients of two kinds with the same documents: the even ones find documents with a high feature 0 relevant (grade 2
/// above 0.7), the odd ones documents with a low feature 0 (grade 2 below 0.3). No single ranker suits both.
class OppositeClients {
 public:
  explicit OppositeClients(std::size_t queries = 40, std::size_t documents = 12, std::size_t features = 5)
      : data_(random_rows(queries, documents, features)) {
    std::vector<Grade> high;
    std::vector<Grade> low;
    for (std::size_t q = 0; q < data_.size(); ++q)
      for (std::size_t d = 0; d < documents; ++d) {
        float const x = data_[q].row(d)[0];
        high.push_back(x > 0.7F ? 2 : 0);
        low.push_back(x < 0.3F ? 2 : 0);
      }
    pools_ = {QueryPool(data_).with_grades(std::move(high)), QueryPool(data_).with_grades(std::move(low))};
  }
  OppositeClients(OppositeClients const&) = delete;
  OppositeClients& operator=(OppositeClients const&) = delete;

  [[nodiscard]] std::vector<Client> clients(std::uint32_t count, std::uint32_t interactions = 4) const {
    std::vector<Client> out;
    for (std::uint32_t i = 0; i < count; ++i) out.push_back({i, interactions, pools_[i % 2]});
    return out;
  }
  /// The queries with the grades of the client's kind.
  [[nodiscard]] QueryPool const& queries_of(ClientId client) const { return pools_[client % 2]; }
  [[nodiscard]] Dataset const& data() const { return data_; }

 private:
  static Dataset random_rows(std::size_t queries, std::size_t documents, std::size_t features) {
    Stream stream(3);
    Matrix<float> rows({queries * documents, features});
    for (std::size_t i = 0; i < queries * documents; ++i)
      for (std::size_t k = 0; k < features; ++k) rows(i, k) = static_cast<float>(stream.uniform());
    std::vector<Grade> const grades(queries * documents, 0);
    std::vector<std::size_t> const sizes(queries, documents);
    return make_dataset(rows, grades, sizes);
  }

  Dataset data_;
  std::vector<QueryPool> pools_;
};

}  // namespace fltr::testing
