#pragma once

#include <cstdint>
#include <string>

#include <fltr/core/content_hash.hpp>

namespace fltr {

/// When and for which run a training is saved.
struct CheckpointOptions {
  std::uint32_t every_rounds = 0;  ///< saved after rounds N, 2N, …; 0: never
  double every_seconds = 0;        ///< saved after the first round that ends S seconds after the last save; 0: never
  std::string name = "training";   ///< letters, digits, '-' and '_'; several trainings may share a folder
  std::string setting{};           ///< whatever the result depends on besides policies, clients and options
  ContentHash data{};              ///< of the clients' data: Fingerprint().add(dataset).value()
};

}  // namespace fltr
