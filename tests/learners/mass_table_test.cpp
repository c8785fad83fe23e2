#include <fltr/learners/detail/mass_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::detail::MassTable;

/// The document that one uniform number draws from a new table of these masses. Fails if nothing is drawn.
std::uint32_t drawn(std::vector<double> const& masses, double uniform) {
  std::vector<double> buffer;
  MassTable table(masses, buffer);
  table.add_up();
  std::array const uniforms{uniform};
  std::array<std::uint32_t, 1> documents{};
  REQUIRE(table.draw(uniforms, documents) == 1);
  return documents[0];
}

}  // namespace

TEST_CASE("MassTable: a uniform number draws the document in whose part of the running sums it is") {
  // Masses are small integers, so that all sums are exact.
  fltr::Stream stream(31);
  for (std::size_t const n : {1U, 7U, 8U, 9U, 64U, 65U}) {
    std::vector<double> masses(n);
    double total = 0.0;
    for (double& m : masses) total += m = 1.0 + stream.below(4);
    double before = 0.0;
    for (std::uint32_t d = 0; d < n; ++d) {
      INFO(n << " documents, document " << d);
      CHECK(drawn(masses, (before + 0.25) / total) == d);
      CHECK(drawn(masses, (before + masses[d] - 0.25) / total) == d);
      before += masses[d];
    }
  }
}

TEST_CASE("MassTable: if one document has all the mass, every draw is that document") {
  for (std::size_t const n : {1U, 7U, 8U, 9U, 64U, 65U})
    for (std::uint32_t const d :
         {std::uint32_t{0}, static_cast<std::uint32_t>(n / 2), static_cast<std::uint32_t>(n - 1)}) {
      std::vector<double> masses(n, 0.0);
      masses[d] = 0.3;
      for (double const u : {0x1p-53, 0.5, 1.0 - 0x1p-53}) CHECK(drawn(masses, u) == d);
    }
}

TEST_CASE("MassTable: a document is fresh once, and a removed one is not drawn again") {
  fltr::Stream stream(32);
  for (std::size_t const n : {1U, 7U, 8U, 9U, 64U, 65U}) {
    std::vector<double> masses(n);
    for (double& m : masses) m = 1.0 + stream.below(4);
    std::vector<double> buffer;
    MassTable table(masses, buffer);
    std::vector<bool> removed(n, false);
    std::array<double, 16> uniforms;
    std::array<std::uint32_t, 16> documents;
    for (std::size_t left = n; left > 0;) {
      table.add_up();
      stream.uniforms(uniforms);
      std::size_t const fresh = table.draw(uniforms, documents);
      REQUIRE(fresh > 0);  // all documents that were drawn before are removed
      for (std::size_t i = 0; i < fresh; ++i) {
        REQUIRE(documents[i] < n);
        REQUIRE(!removed[documents[i]]);
        removed[documents[i]] = true;
        table.remove(documents[i]);
      }
      left -= fresh;
      double sum = 0.0;
      for (std::size_t d = 0; d < n; ++d) sum += removed[d] ? 0.0 : masses[d];
      CHECK(table.remaining() == sum);  // sums of small integers are exact
    }
    // After the last document, only rounding could draw one.
    table.add_up();
    CHECK(table.draw(uniforms, documents) == 0);
  }
}
