#include "summary_statistics.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include <fltr/core/error.hpp>

namespace fltr::examples {

double mean(std::span<double const> values) {
  double sum = 0;
  for (double const value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(std::span<double const> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double const centre = mean(values);
  double squares = 0;
  for (double const value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

PairedTest paired_t_test(std::span<double const> a, std::span<double const> b) {
  require(a.size() == b.size(), "paired_t_test", "as many values on both sides", b.size());
  require(a.size() >= 2, "paired_t_test", "at least two pairs", a.size());
  std::vector<double> differences(a.size());
  bool equal = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
    require(std::isfinite(differences[i]), "paired_t_test", "finite values", differences[i]);
    equal = equal && differences[i] == differences.front();
  }
  PairedTest test;
  test.pairs = differences.size();
  test.difference = equal ? differences.front() : mean(differences);
  double const error =
      equal ? 0.0 : standard_deviation(differences) / std::sqrt(static_cast<double>(differences.size()));
  if (error == 0) {
    test.low = test.high = test.difference;
    test.t = test.difference == 0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), test.difference);
    test.p = test.difference == 0 ? 1.0 : 0.0;
    return test;
  }
  boost::math::students_t const distribution(static_cast<double>(differences.size() - 1));
  double const half = boost::math::quantile(boost::math::complement(distribution, 0.025)) * error;
  test.low = test.difference - half;
  test.high = test.difference + half;
  test.t = test.difference / error;
  test.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(test.t)));
  return test;
}

}  // namespace fltr::examples
