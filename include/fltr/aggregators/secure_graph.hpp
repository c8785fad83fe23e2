#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// What the server of a secure sum may do.
enum class SecureServer : std::uint8_t {
  curious,    ///< follows the protocol, keeps everything that it sees, and colludes with the corrupt clients
  malicious,  ///< also tells different clients different things, and colludes with the corrupt clients
};

/// The conditions under which a secure sum must be secure and must not fail.
struct SecureSetting {
  std::uint64_t clients = 0;  ///< n: clients that are asked in a round
  double dropout = 0.3;       ///< largest share of the clients that drop out in a round
  double corrupt = 0.05;      ///< largest share of the clients that collude with the server
  SecureServer server = SecureServer::curious;
  double security_bits = 40.0;  ///< the secrets of a client are revealed with probability at most 2^-bits
  double abort_bits = 30.0;     ///< the sum cannot be opened with probability at most 2^-bits

  auto fields(auto&& visit) { return visit(clients, dropout, corrupt, server, security_bits, abort_bits); }
  [[nodiscard]] friend bool operator==(SecureSetting const&, SecureSetting const&) = default;
};

/// The neighbour graph of a secure sum. Each client shares masks and secrets with k neighbours; t shares restore a
/// secret. With k = n − 1 the graph is complete, and each client also keeps a share of its own secrets.
struct SecureGraph {
  std::uint64_t clients = 0;     ///< n
  std::uint64_t neighbours = 0;  ///< k
  std::uint64_t threshold = 0;   ///< t

  [[nodiscard]] bool complete() const noexcept { return neighbours + 1 >= clients; }
  /// The number of clients that hold a share of a client's secrets.
  [[nodiscard]] std::uint64_t holders() const noexcept { return complete() ? clients : neighbours; }

  auto fields(auto&& visit) { return visit(clients, neighbours, threshold); }
  [[nodiscard]] friend bool operator==(SecureGraph const&, SecureGraph const&) = default;
};

namespace detail {

/// The probabilities of x = 0, …, drawn marked items among `drawn` of `all`, of which `marked` are marked.
[[nodiscard]] inline std::vector<double> hypergeometric(std::uint64_t all, std::uint64_t marked, std::uint64_t drawn) {
  std::vector<double> p(static_cast<std::size_t>(drawn) + 1, 0.0);
  std::uint64_t const low = drawn > all - marked ? drawn - (all - marked) : 0;
  std::uint64_t const high = std::min(drawn, marked);
  // From the mode outward, so that nothing overflows. Then the sum is scaled to 1.
  std::uint64_t const mode = std::clamp((drawn + 1) * (marked + 1) / (all + 2), low, high);
  auto const ratio = [&](std::uint64_t x) {  // p(x + 1) / p(x)
    return static_cast<double>(marked - x) * static_cast<double>(drawn - x) /
           (static_cast<double>(x + 1) * static_cast<double>(all - marked + x + 1 - drawn));
  };
  p[mode] = 1.0;
  for (std::uint64_t x = mode; x < high; ++x) p[x + 1] = p[x] * ratio(x);
  for (std::uint64_t x = mode; x > low; --x) p[x - 1] = p[x] / ratio(x - 1);
  double sum = 0.0;
  for (double const v : p) sum += v;
  for (double& v : p) v /= sum;
  return p;
}

/// The pairs (k, t) of a SecureSetting that are secure and seldom fail, for one k after the other.
class SecurePairs {
 public:
  explicit SecurePairs(SecureSetting const& setting) : setting_(setting), n_(setting.clients) {
    require(n_ >= 2, "SecureSetting", "at least 2 clients", n_);
    require(n_ <= 1'000'000, "SecureSetting", "at most 1,000,000 clients", n_);
    require(setting.dropout >= 0.0 && setting.dropout < 1.0, "SecureSetting", "a dropout in [0, 1)", setting.dropout);
    require(setting.corrupt >= 0.0 && setting.corrupt < 1.0, "SecureSetting", "a corrupt share in [0, 1)",
            setting.corrupt);
    require(setting.security_bits >= 1.0 && setting.security_bits <= 200.0, "SecureSetting",
            "security_bits in [1, 200]", setting.security_bits);
    require(setting.abort_bits >= 1.0 && setting.abort_bits <= 200.0, "SecureSetting", "abort_bits in [1, 200]",
            setting.abort_bits);
    // Rounded up, with a tolerance: a tenth of 10 clients is one client.
    auto const share = [&](double s) {
      return static_cast<std::uint64_t>(std::ceil(s * static_cast<double>(n_) - 1e-9));
    };
    corrupt_ = share(setting.corrupt);
    dropped_ = share(setting.dropout);
    insecure_ = std::ldexp(1.0, -static_cast<int>(setting.security_bits)) / static_cast<double>(n_);
    fails_ = std::ldexp(1.0, -static_cast<int>(setting.abort_bits)) / static_cast<double>(n_);
  }

  [[nodiscard]] std::uint64_t corrupt() const noexcept { return corrupt_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

  /// The smallest secure t for k neighbours of an incomplete graph: for all clients together, the probability that t
  /// corrupt neighbours exist (curious), or that 2t ≤ k + corrupt neighbours (malicious), is at most 2^-security_bits.
  [[nodiscard]] std::uint64_t smallest_threshold(std::uint64_t k) const {
    auto const p = hypergeometric(n_ - 1, corrupt_, k);
    double tail = 0.0;
    std::uint64_t x = k + 1;  // the tail is P(corrupt neighbours ≥ x)
    while (x > 0 && tail + p[x - 1] <= insecure_) tail += p[--x];
    // x: the smallest number of corrupt neighbours that is rare enough, so x − 1 must be harmless.
    if (setting_.server == SecureServer::curious) return std::max<std::uint64_t>(x, 2);
    return std::max<std::uint64_t>((k + std::max<std::uint64_t>(x, 1) - 1) / 2 + 1, 2);
  }

  /// Whether, with probability 1 − 2^-abort_bits, at least t neighbours of every client stay.
  [[nodiscard]] bool opens(std::uint64_t k, std::uint64_t t) const {
    auto const p = hypergeometric(n_ - 1, dropped_, k);
    double tail = 0.0;
    for (std::uint64_t gone = k + 1; gone-- > 0 && k - gone < t;) tail += p[gone];
    return tail <= fails_;
  }

  /// Whether the clients that are neither corrupt nor gone stay connected with probability 1 − 2^-security_bits. The
  /// graph is a ring in random order, in which each client is a neighbour of the next k/2 on both sides. It falls apart
  /// only if k/2 successive clients are corrupt or gone.
  [[nodiscard]] bool connected(std::uint64_t k) const {
    std::uint64_t const removed = std::min(n_, corrupt_ + dropped_);
    double run = 1.0;
    for (std::uint64_t i = 0; i < k / 2; ++i)
      run *= removed > i ? static_cast<double>(removed - i) / static_cast<double>(n_ - i) : 0.0;
    return run <= insecure_;
  }

  /// The smallest t of the complete graph that is secure: the corrupt clients' number is known there.
  [[nodiscard]] std::uint64_t smallest_complete_threshold() const {
    return setting_.server == SecureServer::curious ? std::max<std::uint64_t>(2, corrupt_ + 1)
                                                    : (n_ + corrupt_) / 2 + 1;
  }

 private:
  SecureSetting setting_;
  std::uint64_t n_;
  std::uint64_t corrupt_ = 0;
  std::uint64_t dropped_ = 0;
  double insecure_ = 0.0;
  double fails_ = 0.0;
};

}  // namespace detail

/// Refuses a pair (k, t) that is not secure under this setting. Whether the sum can be opened is not checked.
inline void require_secure(SecureSetting const& setting, SecureGraph const& graph) {
  detail::SecurePairs const pairs(setting);
  require(graph.clients == setting.clients, "SecureGraph", "the number of clients of its setting", graph.clients);
  require(graph.complete() || (graph.neighbours % 2 == 0 && graph.neighbours >= 2), "SecureGraph",
          "an even number of neighbours, or clients − 1", graph.neighbours);
  std::uint64_t const least =
      graph.complete() ? pairs.smallest_complete_threshold() : pairs.smallest_threshold(graph.neighbours);
  require(graph.threshold >= least && graph.threshold <= graph.holders(), "SecureGraph",
          "a threshold of " + std::to_string(least) + " to " + std::to_string(graph.holders()) + " for " +
              std::to_string(graph.neighbours) + " neighbours",
          graph.threshold);
  require(graph.complete() || pairs.connected(graph.neighbours), "SecureGraph",
          "so many neighbours that the graph stays connected", graph.neighbours);
}

/// The smallest number of neighbours, with its smallest threshold, that satisfies the setting (Bell et al. 2020; the
/// numbers of corrupt and of missing neighbours are hypergeometric, and the probabilities are summed over the n
/// clients). If no incomplete graph does, and for up to 64 clients, where an incomplete graph saves little, it is the
/// complete one (Bonawitz et al. 2017): t is then ⌊n/2⌋ + 1, or less if more drop out, and against a malicious server at
/// least ⌊(n + corrupt)/2⌋ + 1.
///
///     secure_graph({.clients = 1000, .dropout = 0.3, .corrupt = 0.1})  // 100 neighbours, threshold 38
[[nodiscard]] inline SecureGraph secure_graph(SecureSetting const& setting) {
  detail::SecurePairs const pairs(setting);
  std::uint64_t const n = setting.clients;
  for (std::uint64_t k = 2; n > 64 && k + 1 < n; k += 2) {
    std::uint64_t const t = pairs.smallest_threshold(k);
    if (t <= k && pairs.opens(k, t) && pairs.connected(k)) return {n, k, t};
  }
  std::uint64_t const least = pairs.smallest_complete_threshold();
  std::uint64_t const most = n - std::min(n, pairs.dropped());  // all that stay
  require(least <= most, "SecureSetting",
          "clients, dropout and corrupt with a secure threshold: at least " + std::to_string(least) +
              " clients must answer",
          most);
  return {n, n - 1, std::clamp(n / 2 + 1, least, most)};
}

/// The pair as a text for reports.
[[nodiscard]] inline std::string describe(SecureGraph const& graph) {
  return std::to_string(graph.neighbours) + " neighbours" + (graph.complete() ? " (all)" : "") + ", threshold " +
         std::to_string(graph.threshold);
}

}  // namespace fltr
