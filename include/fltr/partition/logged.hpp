#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// How likely a grade attracts a click: relevant ones surely, others with probability 0.1 (Jagerman and de Rijke 2020).
/// Relevant are the grades from 3 on where there are five, from 1 on where there are two or three.
[[nodiscard]] inline std::vector<double> attractive_grades(std::size_t grade_count, double other = 0.1) {
  std::size_t const from = grade_count <= 3 ? 1 : (grade_count + 1) / 2;
  std::vector<double> out(grade_count, other);
  for (std::size_t grade = from; grade < grade_count; ++grade) out[grade] = 1.0;
  return out;
}

/// What users do with the lists of a production ranker that does not change.
struct LoggingOptions {
  std::size_t clients = 2000;
  std::size_t displayed = 5;       ///< K: documents in a list
  std::uint32_t clicks = 10;       ///< m: a user goes on to this many clicks in a round …
  std::uint32_t most_lists = 200;  ///< … or to this many lists
  std::uint32_t queries = 5;       ///< asked in a round, over and over again
  double exponent = 1.0;  ///< γ: P(examined) = (1 / position)^η, η per user from N(γ, deviation²), never < 0
  double exponent_deviation = 0.1;
  std::vector<double> attractive{};  ///< P(attractive) by grade; empty: attractive_grades
  std::uint64_t seed = 1;            ///< of the users' exponents

  void check() const {
    require(clients > 0 && clients <= 0xFFFFFFFFU, "LoggingOptions", "1 to 2^32 - 1 clients", clients);
    require(displayed > 0, "LoggingOptions", "at least one displayed document", displayed);
    require(clicks > 0, "LoggingOptions", "at least one click per round", clicks);
    require(most_lists > 0, "LoggingOptions", "at least one list per round", most_lists);
    require(queries > 0, "LoggingOptions", "at least one query per round", queries);
    require(exponent >= 0.0 && std::isfinite(exponent), "LoggingOptions", "a finite exponent >= 0", exponent);
    require(exponent_deviation >= 0.0 && std::isfinite(exponent_deviation), "LoggingOptions",
            "a finite exponent_deviation >= 0", exponent_deviation);
    require_probabilities("LoggingOptions", "attractiveness in [0, 1]", attractive);
  }
};

/// The lists of the production ranker, and how users behave.
class Logging {
 public:
  template <Ranker R>
  Logging(Dataset const& data, R const& production, LoggingOptions options)
      : data_(&data), options_(std::move(options)) {
    options_.check();
    require(data.size() > 0, "Logging", "a dataset with at least one query", data.size());
    if (options_.attractive.empty()) options_.attractive = attractive_grades(data.grade_count());
    require(options_.attractive.size() >= data.grade_count(), "Logging", "an attractiveness for every grade",
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
    require(options_.displayed <= longest, "Logging",
            "no more displayed documents than the longest list has, " + std::to_string(longest), options_.displayed);
    double const steepest = options_.exponent + 10.0 * options_.exponent_deviation;
    if (!(std::pow(static_cast<double>(options_.displayed), -steepest) > 1e-30)) {
      std::ostringstream bound;
      bound << "exponent + 10 * exponent_deviation < " << 30.0 * std::log(10.0) / std::log(options_.displayed)
            << " for " << options_.displayed << " displayed documents";
      throw_requirement("Logging", bound.str(), steepest);
    }
  }

  template <Ranker R>
  Logging(Dataset const&&, R const&, LoggingOptions) = delete;

  [[nodiscard]] LoggingOptions const& options() const& noexcept { return options_; }
  void options() const&& = delete;
  [[nodiscard]] Dataset const& data() const noexcept { return *data_; }

  /// What is shown for a query, best first: K documents, or all where there are fewer.
  [[nodiscard]] std::span<std::uint32_t const> displayed(std::size_t query) const& noexcept {
    std::size_t const begin = query > 0 ? ends_[query - 1] : 0;
    return std::span(documents_).subspan(begin, ends_[query] - begin);
  }
  void displayed(std::size_t) const&& = delete;

  /// η of a user: always the same one.
  [[nodiscard]] double exponent_of(ClientId client) const {
    Stream stream = Streams{options_.seed, 0, client}.of(Purpose::logging);
    for (;;) {
      double const drawn = options_.exponent + options_.exponent_deviation * stream.normal();
      if (drawn >= 0.0) return drawn;
    }
  }

  /// A round of a user: queries asked one after the other and over again, until there are enough clicks. The last list
  /// is kept whole: to stop in its middle would favour the positions above. Clicks follow the grades of the pool, which
  /// must be a pool of the Dataset that this object was made with.
  void simulate(ClientId client, QueryPool const& pool, Streams const& streams, ClickLog& log) const {
    log.clear();
    if (pool.size() == 0) return;
    require(pool.is_of(*data_), "Logging::simulate", "a pool of the dataset that the lists were made for",
            "a pool of another dataset");
    double const exponent = exponent_of(client);
    std::vector<float> examined(options_.displayed);
    for (std::size_t i = 0; i < examined.size(); ++i)
      examined[i] = static_cast<float>(std::pow(static_cast<double>(i + 1), -exponent));
    Stream stream = streams.of(Purpose::logging);
    std::vector<std::size_t> asked(options_.queries);  // positions in the pool
    for (std::size_t& query : asked) query = pool.draw_position(stream);
    for (std::uint32_t list = 0; list < options_.most_lists && log.click_count() < options_.clicks; ++list) {
      QueryView const asks = pool[asked[list % asked.size()]];
      std::uint32_t const query = pool.index(asked[list % asked.size()]);
      auto const labels = asks.labels();
      require(labels.empty() || asks.ideal().front() < options_.attractive.size(), "Logging::simulate",
              "grades below " + std::to_string(options_.attractive.size()) + ", the number of attractivenesses",
              labels.empty() ? 0 : int{asks.ideal().front()});
      log.begin(query);
      std::uint32_t position = 0;
      for (std::uint32_t const document : displayed(query)) {
        float const p = examined[position];
        bool const clicked = stream.bernoulli(options_.attractive[labels[document]] * static_cast<double>(p));
        log.add({document, ++position, clicked, p});
      }
    }
  }

 private:
  Dataset const* data_;
  LoggingOptions options_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::size_t> ends_;
};

/// A client with a log: `client.log(streams, buffer)` is that of a round, in the buffer or anywhere else.
struct LoggedClient : Client {
  Logging const* logging = nullptr;

  [[nodiscard]] ClickLog const& log(Streams const& streams, ClickLog& buffer) const {
    logging->simulate(id, queries, streams, buffer);
    return buffer;
  }
};

/// Clients that search with a production ranker (FedIPS). Their logs are never stored: a round's log is a function of
/// the seed, the round and the client, and is computed again on each access. So a million clients need no memory, and
/// two trainings with the same seed see the same clicks. The Dataset must outlive the population.
class LoggedPopulation {
 public:
  template <Ranker R>
  LoggedPopulation(Dataset const& data, R const& production, LoggingOptions options = {})
      : logging_(std::make_shared<Logging const>(data, production, std::move(options))) {}
  template <Ranker R>
  LoggedPopulation(Dataset const&&, R const&, LoggingOptions = {}) = delete;
  // Copies share the lists, which never change. A moved-from object stays valid: moves copy a shared pointer.
  LoggedPopulation(LoggedPopulation const&) = default;
  LoggedPopulation& operator=(LoggedPopulation const&) = default;
  ~LoggedPopulation() = default;

  [[nodiscard]] std::size_t size() const noexcept { return logging_->options().clients; }
  /// The client refers to the lists that this population shares with its copies: one of these must outlive the client.
  [[nodiscard]] LoggedClient operator[](std::size_t i) const& noexcept {
    return {{static_cast<ClientId>(i), logging_->options().clicks, QueryPool(logging_->data())}, logging_.get()};
  }
  void operator[](std::size_t) const&& = delete;
  [[nodiscard]] Logging const& logging() const& noexcept { return *logging_; }
  void logging() const&& = delete;

 private:
  std::shared_ptr<Logging const> logging_;
};
static_assert(Population<LoggedPopulation>);

/// Clients with logs of their own (see read_click_log): every round learns from all of a client's log, and every client
/// counts as one at the server. The Dataset and the logs must outlive it.
class RecordedPopulation {
 public:
  /// A client of the recorded population.
  struct RecordedClient : Client {
    ClickLog const* recorded = nullptr;

    [[nodiscard]] ClickLog const& log(Streams const&, ClickLog&) const noexcept { return *recorded; }
  };

  RecordedPopulation(Dataset const& data, std::vector<ClickLog> const& logs) : data_(&data), logs_(&logs) {
    for (ClickLog const& log : logs) log.check(data);
  }
  RecordedPopulation(Dataset const&&, std::vector<ClickLog> const&) = delete;
  RecordedPopulation(Dataset const&, std::vector<ClickLog> const&&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return logs_->size(); }
  [[nodiscard]] RecordedClient operator[](std::size_t i) const noexcept {
    return {{static_cast<ClientId>(i), 1, QueryPool(*data_)}, &(*logs_)[i]};
  }

 private:
  Dataset const* data_;
  std::vector<ClickLog> const* logs_;
};
static_assert(Population<RecordedPopulation>);

}  // namespace fltr
