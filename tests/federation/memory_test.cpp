#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FLTR_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FLTR_SANITIZED 1
#endif
#endif

namespace {

/// The peak resident size, in kB, of a separate process that runs one round with `clients` clients; -1 if it fails.
/// `start(data, clients)` starts the training.
template <class Start>
[[maybe_unused]] long peak_of_round(std::size_t clients, Start const& start) {
  ::pid_t const child = ::fork();
  if (child == 0) {
    auto const data = fltr::testing::toy_dataset(20, 10, 46);
    auto training = start(data, clients);
    training.advance();
    ::_exit(training.round().statistics.reported == clients ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("Peak memory of a round does not grow with the number of clients") {
#ifdef FLTR_SANITIZED
  WARN("skipped: sanitizers keep freed memory");
#else
  using namespace fltr;
  auto const check = [](std::size_t many, auto const& start) {
    long const few = peak_of_round(1, start);
    long const most = peak_of_round(many, start);
    REQUIRE(few > 0);
    REQUIRE(most > 0);
    INFO("one client " << few << " kB, " << many << " clients " << most << " kB");
    CHECK(most - few < 20 * 1024);
  };
  check(1'000'000, [](Dataset const& data, std::size_t clients) {
    return fpdgd(LinearRanker(46), CascadeModel::perfect(3))
        .start(split_iid(data, {.clients = clients, .interactions = 1}));
  });
  check(200'000, [](Dataset const& data, std::size_t clients) {
    return foltr_es(LinearRanker(46), CascadeModel::perfect(3))
        .start(split_iid(data, {.clients = clients, .interactions = 2}));
  });
  check(62'500, [](Dataset const& data, std::size_t clients) {
    return fedips(LinearRanker(46)).start(LoggedPopulation(data, LinearRanker(46), {.clients = clients}));
  });
#endif
}
