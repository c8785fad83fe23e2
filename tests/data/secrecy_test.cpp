#include <fltr/data/secrecy.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/data/fold.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/pad_features.hpp>
#include <fltr/data/pooled_queries.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/data/regroup.hpp>
#include <fltr/data/select_queries.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using fltr::testing::random_dataset;

TEST_CASE("A Dataset knows on which other documents its features depend") {
  auto const raw = random_dataset(91);
  CHECK(raw.scaled_by() == ScaledBy::nothing);
  CHECK(Dataset().scaled_by() == ScaledBy::nothing);
  auto const by_query = normalize_per_query(raw);
  CHECK(by_query.scaled_by() == ScaledBy::query);
  auto const zscores = normalize_zscore(raw);
  CHECK(zscores.scaled_by() == ScaledBy::documents);

  auto const statistics = ZScore::fit(random_dataset(92));
  CHECK(statistics.apply(raw).scaled_by() == ScaledBy::documents);  // of other documents: confidential unless declared
  CHECK(statistics.apply(raw, Secrecy::published).scaled_by() == ScaledBy::nothing);
  CHECK(statistics.apply(by_query, Secrecy::published).scaled_by() == ScaledBy::query);
  CHECK(statistics.apply(zscores, Secrecy::published).scaled_by() == ScaledBy::documents);
  CHECK(normalize_per_query(zscores).scaled_by() == ScaledBy::documents);
}

TEST_CASE("All parts of a fold depend on the documents whose statistics scaled them") {
  Fold const fold{random_dataset(93), random_dataset(94), random_dataset(95)};
  for (auto const how : {Normalization::none, Normalization::query, Normalization::zscore}) {
    auto const expected = how == Normalization::none    ? ScaledBy::nothing
                          : how == Normalization::query ? ScaledBy::query
                                                        : ScaledBy::documents;
    auto const scaled = normalize(fold, how);
    for (Dataset const* part : {&scaled.train, &scaled.vali, &scaled.test}) CHECK(part->scaled_by() == expected);
  }
  auto const published = FittedNormalization::fit(Normalization::zscore, fold.train).apply(fold, Secrecy::published);
  for (Dataset const* part : {&published.train, &published.vali, &published.test})
    CHECK(part->scaled_by() == ScaledBy::nothing);
}

TEST_CASE("What is made of a Dataset keeps its scaling") {
  auto const raw = random_dataset(96);
  auto const by_query = normalize_per_query(raw);
  auto const zscores = normalize_zscore(raw);
  std::vector<std::uint32_t> const some{1, 3};
  CHECK(select_queries(zscores, some).scaled_by() == ScaledBy::documents);
  CHECK(split_by_query(zscores, {.5, .25, .25}, 1).test.scaled_by() == ScaledBy::documents);
  CHECK(pad_features(zscores, 20).scaled_by() == ScaledBy::documents);

  QueryPool const pool(zscores, some);
  CHECK(QueryPool().scaled_by() == ScaledBy::nothing);
  CHECK(pool.scaled_by() == ScaledBy::documents);
  CHECK(pool.only({0}).scaled_by() == ScaledBy::documents);
  CHECK(QuerySequence{pool}.scaled_by() == ScaledBy::documents);
  CHECK(PooledQueries(QueryPool(raw), pool).scaled_by() == ScaledBy::documents);
  CHECK(PooledQueries(pool, QueryPool(raw)).scaled_by() == ScaledBy::documents);
  CHECK(PooledQueries(QueryPool(raw), QueryPool(by_query)).scaled_by() == ScaledBy::query);

  // Queries whose documents are divided were scaled with documents of other groups.
  std::vector<std::uint32_t> const groups(raw.document_count());
  CHECK(regroup(raw, groups).data().scaled_by() == ScaledBy::nothing);
  CHECK(regroup(by_query, groups).data().scaled_by() == ScaledBy::documents);
  CHECK(regroup(zscores, groups).data().scaled_by() == ScaledBy::documents);
}
