#include <fltr/metrics/no_relevant_documents.hpp>

#include "support/catch.hpp"

namespace {

using fltr::NoRelevantDocuments;

}  // namespace

TEST_CASE("The value of a query without a relevant document") {
  STATIC_REQUIRE(fltr::value_of(NoRelevantDocuments::zero) == 0.0);
  STATIC_REQUIRE(fltr::value_of(NoRelevantDocuments::one) == 1.0);
  STATIC_REQUIRE(!fltr::value_of(NoRelevantDocuments::skip).has_value());
}
