#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fltr/data/intents.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/shared_clients.hpp>
#include <fltr/partition/skew_report.hpp>

#include "data_source.hpp"
#include "non_iid_clients.hpp"
#include "options.hpp"

namespace fltr::examples {

/// What makes clients differ. The numbers are the types of the thesis; `…_and_quantity` combines with type 4.
enum class NonIidType {
  preference,  ///< 1
  label,       ///< 2
  clicks,      ///< 3
  quantity,    ///< 4
  preference_and_quantity,
  label_and_quantity,
  clicks_and_quantity,
  dirichlet,
  user,
};
enum class Remedy { none, fedprox, fedper, data_sharing, clustered, fine_tuned };
enum class LearnerKind { pdgd, es };
enum class ClickKind { cascade, position };
enum class DirichletOver { grades, queries };

/// The options that decide the clients of a run.
struct NonIidOptions : CommonOptions {
  NonIidType type = NonIidType::label;
  std::uint32_t labels_per_client = 1;
  std::uint32_t intents = 4;
  IntentShuffle intent_shuffle = IntentShuffle::per_query;
  std::filesystem::path intent_grades{};       ///< of the training documents; empty: clusters of relevant documents
  std::filesystem::path intent_grades_test{};  ///< of the test documents
  double alpha = 0.5;
  DirichletOver over = DirichletOver::grades;
  std::uint32_t minimum = 1;  ///< documents or queries of a client of a Dirichlet partition
  std::filesystem::path metadata{};
  ClickKind click_model = ClickKind::cascade;
  LearnerKind learner = LearnerKind::pdgd;
  Remedy remedy = Remedy::none;
  double share = 0.1;
  double share_fraction = 0.5;

  [[nodiscard]] bool by_preference() const noexcept {
    return type == NonIidType::preference || type == NonIidType::preference_and_quantity;
  }
  [[nodiscard]] bool by_label() const noexcept {
    return type == NonIidType::label || type == NonIidType::label_and_quantity;
  }
  [[nodiscard]] bool by_clicks() const noexcept {
    return type == NonIidType::clicks || type == NonIidType::clicks_and_quantity;
  }
  [[nodiscard]] bool by_quantity() const noexcept {
    return type == NonIidType::quantity || type == NonIidType::preference_and_quantity ||
           type == NonIidType::label_and_quantity || type == NonIidType::clicks_and_quantity;
  }
};

/// The clients of one run, their IID twins, and the queries on which both are measured.
struct NonIidSetting {
  SharedClients<AnyClient> clients;        ///< with the shared queries of --remedy data-sharing
  SharedClients<AnyClient> plain_clients;  ///< without them
  SharedClients<AnyClient> twin;
  Users users;
  Users twin_users;
  QueryPool shared{};  ///< G of --remedy data-sharing
  /// The test queries, with the grades of each intent for type 1. Client i is measured on number i modulo their number.
  std::vector<QueryPool> test{};
  std::vector<QueryPool> train_by_intent{};  ///< type 1: the training queries with the grades of each intent
  QueryPool train_merged{};                  ///< type 1: the training queries with merged grades
  SkewReport skew{};                         ///< of the clients, without shared queries
  std::shared_ptr<void const> owner{};       ///< of the data to which the clients refer

  [[nodiscard]] std::size_t test_of(std::size_t client) const noexcept { return client % test.size(); }
};

/// Divides the training part of a fold. `seed` decides which client gets what. Throws UsageError if the options do not
/// fit the data. The fold must outlive the setting.
[[nodiscard]] NonIidSetting make_setting(NonIidOptions const& options, NamedFold const& fold, std::uint64_t seed);

}  // namespace fltr::examples
