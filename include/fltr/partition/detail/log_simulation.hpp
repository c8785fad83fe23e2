#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/power.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/logging_options.hpp>

namespace fltr::detail {

/// The production ranker's list of every query, and the users' clicks on these lists.
class LogSimulation {
 public:
  template <Ranker R>
  LogSimulation(Dataset const& data, R const& production, LoggingOptions options)
      : data_(&data), options_(std::move(options)) {
    options_.check();
    require(data.size() > 0, "LoggedPopulation", "a dataset with at least one query", data.size());
    if (options_.attractive.empty()) options_.attractive = attractive_grades(data.grade_count());
    require(options_.attractive.size() >= data.grade_count(), "LoggedPopulation",
            "a probability in LoggingOptions::attractive for each of " + std::to_string(data.grade_count()) + " grades",
            options_.attractive.size());
    std::size_t longest = 0;
    TopK rank;
    std::vector<float> scores;
    std::vector<std::uint32_t> order;
    for (std::size_t q = 0; q < data.size(); ++q) {
      QueryView const query = data[q];
      longest = std::max(longest, query.document_count());
      scores.resize(query.document_count());
      production.score(query, scores);
      rank(scores, options_.displayed, order);
      documents_.insert(documents_.end(), order.begin(), order.end());
      ends_.push_back(documents_.size());
    }
    require(options_.displayed <= longest, "LoggedPopulation",
            "at most " + std::to_string(longest) + " displayed documents, the length of the longest list",
            options_.displayed);
    double const steepest = options_.exponent + 10.0 * options_.exponent_deviation;
    if (!(math::pow(static_cast<double>(options_.displayed), -steepest) > 1e-30)) {
      double const bound = 30.0 * std::numbers::ln10 / math::log(static_cast<double>(options_.displayed));
      std::string const what = "exponent + 10 * exponent_deviation < " + number_text(bound) + " for " +
                               number_text(options_.displayed) + " displayed documents";
      throw_requirement("LoggedPopulation", what, steepest);
    }
  }

  template <Ranker R>
  LogSimulation(Dataset const&&, R const&, LoggingOptions) = delete;

  [[nodiscard]] LoggingOptions const& options() const& noexcept { return options_; }
  void options() const&& = delete;
  [[nodiscard]] Dataset const& data() const noexcept { return *data_; }

  /// The list of a query, best document first: K documents, or all documents of a shorter query.
  [[nodiscard]] std::span<std::uint32_t const> displayed(std::size_t query) const& noexcept {
    std::size_t const begin = query > 0 ? ends_[query - 1] : 0;
    return std::span(documents_).subspan(begin, ends_[query] - begin);
  }
  void displayed(std::size_t) const&& = delete;

  /// η of a user: the same value in every call.
  [[nodiscard]] double exponent_of(ClientId client) const {
    Stream stream = Streams{options_.seed, 0, client}.of(Purpose::logging);
    for (;;) {
      double const drawn = options_.exponent + options_.exponent_deviation * stream.normal();
      if (drawn >= 0.0) return drawn;
    }
  }

  /// Writes the log of one round of a user. The user asks the drawn queries in turn, again and again, until there are
  /// enough clicks. The last list is kept whole: a list that ended at a click would favour the upper positions. Clicks
  /// depend on the grades of the pool. The pool must be a pool of the Dataset of this object.
  void simulate(ClientId client, QueryPool const& pool, Streams const& streams, ClickLog& log) const {
    log.clear();
    if (pool.size() == 0) return;
    require(pool.is_of(*data_), "LoggedPopulation", "a pool of the population's dataset", "a pool of another dataset");
    double const exponent = exponent_of(client);
    std::vector<float> examined(options_.displayed);
    for (std::size_t i = 0; i < examined.size(); ++i)
      examined[i] = static_cast<float>(math::pow(static_cast<double>(i + 1), -exponent));
    Stream stream = streams.of(Purpose::logging);
    std::vector<std::size_t> asked(options_.queries);  // positions in the pool
    for (std::size_t& query : asked) query = pool.draw_position(stream);
    for (std::uint32_t list = 0; list < options_.most_lists && log.click_count() < options_.clicks; ++list) {
      QueryView const view = pool[asked[list % asked.size()]];
      std::uint32_t const query = pool.index(asked[list % asked.size()]);
      auto const grades = view.grades();
      if (!grades.empty() && view.ideal().front() >= options_.attractive.size())
        throw_requirement("LoggedPopulation",
                          "grades below " + std::to_string(options_.attractive.size()) +
                              ", the number of probabilities in LoggingOptions::attractive",
                          int{view.ideal().front()});
      log.begin(query);
      std::uint32_t position = 0;
      for (std::uint32_t const document : displayed(query)) {
        float const p = examined[position];
        bool const clicked = stream.bernoulli(options_.attractive[grades[document]] * static_cast<double>(p));
        log.add({document, ++position, clicked, p});
      }
    }
  }

  auto members(auto&& visit) const { return visit(*data_, options_, documents_, ends_); }

 private:
  Dataset const* data_;
  LoggingOptions options_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::size_t> ends_;  // of each query's list in documents_
};

}  // namespace fltr::detail
