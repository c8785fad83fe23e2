#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fltr/accounting/charged_clients.hpp>
#include <fltr/accounting/detail/client_numbers.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// What each client of a federation has spent, and the largest of these losses: the total. Unit: one client,
/// replace-one. A round charges the clients that took part; nobody gains from a sample that the server draws.
///
/// Clients that were charged the same share one PrivacySum with its Rényi divergences. While all clients are alike that
/// takes no memory per client. Otherwise it takes 1 bit per client for two sums, 2 bits for up to 4, 4 for 16, 8 for 256 and 16
/// for more, and only for chunks of 4,096 neighbours that are not alike. With a constant price there are no more sums than
/// rounds, also if a sample is drawn. If more than `most_sums` would be needed, the account keeps ρ and the sum of ε of every
/// client instead, 16 bytes per client, for good. The divergences are then ρα, and the sum of δ is that of all rounds:
/// bounds are larger, and still valid.
class PrivacyAccount {
 public:
  static constexpr std::size_t most_sums = 2048;

  explicit PrivacyAccount(std::uint64_t clients = 0) : clients_(clients), sums_(1), members_{clients} {}

  /// Charges a round.
  void charge(PrivacyLoss const& price, ChargedClients const& charged) {
    charge(price, PrivacySum::of(price), charged);
  }
  /// The same if PrivacySum::of(price) is known.
  void charge(PrivacyLoss const& price, PrivacySum const& more, ChargedClients const& charged) {
    nominal_ += price.epsilon_nominal;
    delta_ += price.delta;
    if (!price.assumption.empty() && assumption_.find(price.assumption) == std::string::npos)
      assumption_ += (assumption_.empty() ? "" : "; ") + price.assumption;
    if (reason_.empty()) reason_ = price.reason;
    if (more == PrivacySum{}) return;
    if (charged.all_of(clients_)) {
      for (PrivacySum& sum : sums_) sum += more;
      for (ClientSum& one : single_) one += more;
    } else if (single_.empty()) {
      split(charged, more);
    } else {
      charged.for_each([&](std::uint32_t i) { single_[i] += more; });
    }
  }

  /// The largest loss of a client. The nominal ε is that of a client that took part in all rounds.
  [[nodiscard]] PrivacyLoss largest(BoundsAt const& at) const {
    PrivacyLoss out = largest_after({}, {}, at);
    out.epsilon_any_stop = upper_sum().epsilon_at_any_stop(at);
    return out;
  }

  /// The largest loss of a client after one more round.
  [[nodiscard]] PrivacyLoss largest_after(PrivacyLoss const& price, ChargedClients const& charged,
                                          BoundsAt const& at) const {
    PrivacySum const more = PrivacySum::of(price);
    if (!single_.empty()) return described(largest_single(more, charged), at, price);
    bool const free = more == PrivacySum{};
    bool const all = charged.all_of(clients_);
    std::vector<bool> pays(sums_.size(), !free && all);
    if (!free && !all) sum_of_.for_each(charged, [&](std::uint32_t k) { pays[k] = true; });
    if (!free && !all && sums() + static_cast<std::size_t>(std::ranges::count(pays, true)) > most_sums) {
      PrivacyAccount next = *this;  // may keep one sum per client from then on, which is a larger bound
      next.charge(price, more, charged);
      if (!next.single_.empty()) return next.largest_after({}, {}, at);
    }
    PrivacyLoss worst;
    bool first = true;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      if (members_[k] == 0) continue;
      auto loss = pays[k] ? described(PrivacySum(sums_[k]) += more, at, price) : described(sums_[k], at, price);
      if (first || loss.epsilon_accounted > worst.epsilon_accounted) worst = std::move(loss);
      first = false;
    }
    return worst;
  }

  /// The loss of one client. The nominal ε is that of a client that took part in all rounds.
  [[nodiscard]] PrivacyLoss of_client(std::size_t position, BoundsAt const& at) const {
    require(position < clients_, "PrivacyAccount", "a client of the population", position);
    PrivacySum const sum =
        single_.empty() ? sums_[sum_of_[position]] : line(single_[position].rho, single_[position].epsilon, delta_);
    PrivacyLoss out = described(sum, at, {});
    out.epsilon_any_stop = sum.epsilon_at_any_stop(at);
    return out;
  }

  /// The number of different sums that are kept; 0: ρ and ε of every client are kept instead.
  [[nodiscard]] std::size_t sums() const noexcept {
    return single_.empty() ? static_cast<std::size_t>(std::ranges::count_if(members_, [](auto n) { return n > 0; }))
                           : 0;
  }

  /// Whether this is an account of so many clients, for values that were read from bytes.
  [[nodiscard]] bool consistent(std::uint64_t clients) const {
    auto const bad = [](double v) { return !(v >= 0.0); };
    if (clients_ != clients || bad(nominal_) || bad(delta_) || sums_.size() != members_.size()) return false;
    if (!single_.empty() && (single_.size() != clients || !sums_.empty() || !sum_of_.empty())) return false;
    if (single_.empty() && sums_.empty()) return false;
    if (!sum_of_.consistent(clients)) return false;
    for (ClientSum const& one : single_)
      if (bad(one.rho) || bad(one.epsilon)) return false;
    for (PrivacySum const& sum : sums_)
      if (bad(sum.epsilon) || bad(sum.delta) || bad(sum.rho) || std::ranges::any_of(sum.rdp, bad) ||
          (!sum.rdp.empty() && sum.rdp.size() != renyi_orders.size()))
        return false;
    std::vector<std::uint64_t> counted(sums_.size());
    bool known = true;
    if (single_.empty())
      sum_of_.for_each(clients, [&](std::uint64_t, std::uint64_t count, std::uint32_t k) {
        known = known && k < counted.size();
        if (known) counted[k] += count;
      });
    return known && counted == members_;
  }

  auto fields(auto&& visit) {
    return visit(clients_, nominal_, delta_, assumption_, reason_, sums_, members_, sum_of_, single_);
  }

 private:
  /// ρ of zCDP and the sum of ε of one client.
  struct ClientSum {
    double rho = 0.0;
    double epsilon = 0.0;

    void operator+=(PrivacySum const& more) {
      rho += more.rho;
      epsilon += more.epsilon;
    }
    auto fields(auto&& visit) { return visit(rho, epsilon); }
  };
  static_assert(sizeof(ClientSum) == 16);

  /// A sum of which only ρ, ε and δ are known.
  [[nodiscard]] static PrivacySum line(double rho, double epsilon, double delta) {
    PrivacySum out{epsilon, delta, rho, {}};
    if (rho < std::numeric_limits<double>::infinity())
      for (double const order : renyi_orders) out.rdp.push_back(rho * order);
    return out;
  }

  [[nodiscard]] PrivacyLoss described(PrivacySum const& sum, BoundsAt const& at, PrivacyLoss const& price) const {
    auto const bound = sum.bound(at);
    PrivacyLoss out{.epsilon_nominal = nominal_ + price.epsilon_nominal,
                    .epsilon_accounted = bound.epsilon,
                    .delta = bound.delta,
                    .assumption = assumption_.empty() ? price.assumption : assumption_,
                    .rho = sum.rho,
                    .bound = std::string(bound.name)};
    if (!(bound.epsilon < std::numeric_limits<double>::infinity())) {
      out.reason = reason_.empty() ? price.reason : reason_;
      if (out.reason.empty()) out.reason = "the mechanism states no bound that can be composed at this delta";
    }
    return out;
  }

  /// A sum that is at least that of every client, in each part.
  [[nodiscard]] PrivacySum upper_sum() const {
    if (!single_.empty()) return largest_single({}, {});
    PrivacySum out;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      if (members_[k] == 0) continue;
      out.epsilon = std::max(out.epsilon, sums_[k].epsilon);
      out.delta = std::max(out.delta, sums_[k].delta);
      out.rho = std::max(out.rho, sums_[k].rho);
      if (sums_[k].rdp.empty()) out.rdp.clear();
      for (std::size_t i = 0; i < out.rdp.size(); ++i) out.rdp[i] = std::max(out.rdp[i], sums_[k].rdp[i]);
    }
    return out;
  }

  /// The largest ρ and the largest ε of a client after one more round. They need not be of the same client.
  [[nodiscard]] PrivacySum largest_single(PrivacySum const& more, ChargedClients const& charged) const {
    ClientSum largest;
    auto const see = [&](ClientSum one, bool pays) {
      if (pays) one += more;
      largest.rho = std::max(largest.rho, one.rho);
      largest.epsilon = std::max(largest.epsilon, one.epsilon);
    };
    bool const all = charged.all_of(clients_);
    for (ClientSum const& one : single_) see(one, all);
    if (!all) charged.for_each([&](std::uint32_t i) { see(single_[i], true); });
    return line(largest.rho, largest.epsilon, delta_ + more.delta);
  }

  /// Moves some clients to sums with one more round.
  void split(ChargedClients const& charged, PrivacySum const& more) {
    // The sums with members in the order of their content, to find equal ones.
    std::vector<std::uint32_t> known;
    std::vector<std::uint32_t> unused;
    for (std::uint32_t k = 0; k < sums_.size(); ++k) (members_[k] > 0 ? known : unused).push_back(k);
    auto const content = [this](std::uint32_t k) -> PrivacySum const& { return sums_[k]; };
    std::ranges::sort(known, std::ranges::less{}, content);
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> moved_to(sums_.size(), none);
    auto const with_more = [&](std::uint32_t from) {
      PrivacySum next = sums_[from];
      next += more;
      auto const equal = std::ranges::lower_bound(known, next, std::ranges::less{}, content);
      if (equal != known.end() && sums_[*equal] == next) return *equal;
      if (!unused.empty()) {
        auto const k = unused.back();
        unused.pop_back();
        sums_[k] = std::move(next);
        return k;
      }
      sums_.push_back(std::move(next));
      members_.push_back(0);
      return static_cast<std::uint32_t>(sums_.size() - 1);
    };
    sum_of_.change(charged, clients_, [&](std::uint32_t from, std::uint32_t count) {
      if (moved_to[from] == none) moved_to[from] = with_more(from);
      members_[from] -= count;
      members_[moved_to[from]] += count;
      return moved_to[from];
    });
    if (sums() > most_sums) keep_single();
  }

  /// Keeps ρ and ε of every client from now on, and no divergences.
  void keep_single() {
    single_.resize(clients_);
    sum_of_.for_each(clients_, [this](std::uint64_t first, std::uint64_t count, std::uint32_t k) {
      std::fill_n(single_.begin() + static_cast<std::ptrdiff_t>(first), count,
                  ClientSum{sums_[k].rho, sums_[k].epsilon});
    });
    sums_ = {};
    members_ = {};
    sum_of_ = {};
  }

  std::uint64_t clients_;
  double nominal_ = 0.0;
  double delta_ = 0.0;  // the sum of δ of all rounds
  std::string assumption_;
  std::string reason_;
  std::vector<PrivacySum> sums_;        // different ones; some may be without members
  std::vector<std::uint64_t> members_;  // clients per sum
  detail::ClientNumbers sum_of_;        // the number of each client's sum
  std::vector<ClientSum> single_;       // per client; not empty: instead of the sums
};

}  // namespace fltr
