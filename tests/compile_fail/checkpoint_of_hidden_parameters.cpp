// build error: fltr: Fingerprint cannot see what this type consists of
#include <fltr/federation/checkpoint.hpp>
#include "parts.hpp"

class HiddenClients {
 public:
  std::size_t size() const { return clients_.size(); }
  fltr::Client operator[](std::size_t i) const { return clients_[i]; }

 private:
  std::vector<fltr::Client> clients_;
};
auto save(HiddenClients const& clients) {
  auto const training =
      fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}).start(clients);
  return fltr::checkpoint_identity(training);
}
