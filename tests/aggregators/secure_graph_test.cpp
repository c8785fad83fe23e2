#include <fltr/aggregators/secure_graph.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include "support/catch.hpp"

namespace {

using namespace fltr;

SecureSetting thousand(double corrupt, SecureServer server) {
  return {.clients = 1000, .dropout = 0.3, .corrupt = corrupt, .server = server};
}

}  // namespace

TEST_CASE("Neighbours and threshold for 1,000 clients of which 30 % drop out are those of the published table") {
  // Computed with a second program from hypergeometric tails.
  CHECK(secure_graph(thousand(0.05, SecureServer::curious)) == SecureGraph{1000, 74, 24});
  CHECK(secure_graph(thousand(0.10, SecureServer::curious)) == SecureGraph{1000, 100, 38});
  CHECK(secure_graph(thousand(0.20, SecureServer::curious)) == SecureGraph{1000, 158, 72});
  CHECK(secure_graph(thousand(0.05, SecureServer::malicious)) == SecureGraph{1000, 362, 204});
  CHECK(secure_graph(thousand(0.10, SecureServer::malicious)) == SecureGraph{1000, 464, 274});
  CHECK(secure_graph(thousand(0.20, SecureServer::malicious)) == SecureGraph{1000, 684, 433});
  CHECK(describe(SecureGraph{1000, 74, 24}) == "74 neighbours, threshold 24");
}

TEST_CASE("Hypergeometric probabilities of a small urn are those counted by hand") {
  // 2 of 5 items are marked, 3 are drawn: C(2,x) C(3,3−x) / C(5,3) = 1/10, 6/10, 3/10.
  auto const p = detail::hypergeometric(5, 2, 3);
  REQUIRE(p.size() == 4);
  CHECK(std::abs(p[0] - 0.1) < 1e-15);
  CHECK(std::abs(p[1] - 0.6) < 1e-15);
  CHECK(std::abs(p[2] - 0.3) < 1e-15);
  CHECK(p[3] == 0.0);
}

TEST_CASE("Few clients get the complete graph with the thresholds of Bonawitz et al.") {
  // Malicious server: floor(n/2) + 1 without corrupt clients, floor(2n/3) + 1 if a third is corrupt.
  CHECK(secure_graph({.clients = 10, .dropout = 0.3, .corrupt = 0.0}) == SecureGraph{10, 9, 6});
  CHECK(secure_graph({.clients = 9, .dropout = 0.2, .corrupt = 0.0, .server = SecureServer::malicious}) ==
        SecureGraph{9, 8, 5});
  CHECK(secure_graph({.clients = 9, .dropout = 0.2, .corrupt = 1.0 / 3.0, .server = SecureServer::malicious}) ==
        SecureGraph{9, 8, 7});
  CHECK(secure_graph({.clients = 2, .dropout = 0.0, .corrupt = 0.0}) == SecureGraph{2, 1, 2});
  CHECK(SecureGraph{10, 9, 6}.holders() == 10);
  CHECK(SecureGraph{1000, 74, 24}.holders() == 74);
}

TEST_CASE("A pair that is not secure is refused, and so is a setting without a secure pair") {
  auto const setting = thousand(0.1, SecureServer::curious);
  CHECK_NOTHROW(require_secure(setting, {1000, 100, 38}));
  CHECK_NOTHROW(require_secure(setting, {1000, 100, 51}));  // secure, although it aborts one round in 128
  CHECK_THROWS_WITH(require_secure(setting, {1000, 100, 37}),
                    "SecureGraph: required a threshold of 38 to 100 for 100 neighbours, got 37");
  CHECK_THROWS_AS(require_secure(setting, {1000, 99, 60}), std::invalid_argument);  // odd
  CHECK_THROWS_AS(require_secure(setting, {1000, 100, 101}), std::invalid_argument);
  CHECK_THROWS_AS(require_secure(setting, {900, 100, 38}), std::invalid_argument);
  CHECK_THROWS_AS(require_secure({.clients = 1000, .dropout = 0.9, .corrupt = 0.0}, {1000, 8, 1}),
                  std::invalid_argument);  // falls apart
  CHECK_THROWS_WITH(secure_graph({.clients = 10, .dropout = 0.5, .corrupt = 0.4, .server = SecureServer::malicious}),
                    "SecureSetting: required clients, dropout and corrupt with a secure threshold: at least 8 clients "
                    "must answer, got 5");
  CHECK_THROWS_AS(secure_graph({.clients = 1}), std::invalid_argument);
  CHECK_THROWS_AS(secure_graph({.clients = 10, .dropout = NAN}), std::invalid_argument);
}
