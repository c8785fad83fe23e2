#pragma once

#include <cstddef>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// Clients with recorded click logs (see read_click_log). In every round a client learns from its whole log. All
/// clients have the same weight at the server. The Dataset and the logs must outlive the population.
class RecordedPopulation {
 public:
  /// A client with a recorded log.
  struct RecordedClient : Client {
    ClickLog const* recorded = nullptr;

    [[nodiscard]] ClickLog const& log(Streams const&, ClickLog&) const noexcept { return *recorded; }
  };

  RecordedPopulation(Dataset const& data, std::vector<ClickLog> const& logs) : data_(&data), logs_(&logs) {
    for (ClickLog const& log : logs) log.check(data);
  }
  FLTR_UNAVAILABLE("RecordedPopulation refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  RecordedPopulation(Dataset const&&, std::vector<ClickLog> const&);
  FLTR_UNAVAILABLE("RecordedPopulation refers to its click logs, which must not be a temporary: give them a name")
  RecordedPopulation(Dataset const&, std::vector<ClickLog> const&&);

  [[nodiscard]] std::size_t size() const noexcept { return logs_->size(); }
  [[nodiscard]] RecordedClient operator[](std::size_t i) const noexcept {
    return {{static_cast<ClientId>(i), 1, QueryPool(*data_)}, &(*logs_)[i]};
  }

  auto members(auto&& visit) const { return visit(*data_, *logs_); }

 private:
  Dataset const* data_;
  std::vector<ClickLog> const* logs_;
};
static_assert(Population<RecordedPopulation>);

}  // namespace fltr
