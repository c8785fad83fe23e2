#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/audit.hpp>

/// Events of any kind for audits of privacy mechanisms (fltr/accounting/audit.hpp).
namespace fltr::testing {

using fltr::audit;
using fltr::AuditOptions;
using fltr::AuditResult;
using fltr::proven_epsilon;

/// The observable output of a mechanism as numbers: the values and the form of the message.
using Seen = std::vector<double>;

struct Event {
  std::string name;
  std::function<bool(Seen const&)> holds;
};

/// Adds the events `number(observation) > t` and `< t`, with t at quantiles of the draws from 0 to 1.
inline void add_thresholds(std::vector<Event>& events, std::string const& name, std::vector<Seen> const& draws,
                           std::function<double(Seen const&)> const& number) {
  std::vector<double> values;
  values.reserve(draws.size());
  for (auto const& seen : draws) values.push_back(number(seen));
  std::ranges::sort(values);
  for (double const q :
       {0.0, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
    double const at = values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
    events.push_back({name + " > " + std::to_string(at), [=](Seen const& s) { return number(s) > at; }});
    events.push_back({name + " < " + std::to_string(at), [=](Seen const& s) { return number(s) < at; }});
  }
}

}  // namespace fltr::testing
