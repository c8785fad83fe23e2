// first error: fltr: the Ranker has no 'fields', so its Training cannot be saved
#include "parts.hpp"

#include <fltr/federation/checkpoint.hpp>

struct Bare {
  std::vector<float> weights = std::vector<float>(5);
  void score(fltr::QueryView, std::span<float>) const {}
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  void backward(fltr::QueryView, std::span<float const>, std::span<float>) const {}
};
void run(fltr::Dataset const& data, fltr::CheckpointFolder const& folder) {
  auto training =
      fltr::make_federation(Bare{}, fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}).start(fltr::split_iid(data));
  fltr::Checkpointer checkpoints(folder, training, {});
  checkpoints.save_if_due(training);
}
