// first error: fltr: the Privatizer hides its parameters, on which its noise must depend
#include "parts.hpp"

class Hides {
 public:
  explicit Hides(double scale) : scale_(scale) {}
  fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const& context) const {
    for (float& v : m.values) v += static_cast<float>(context.streams.of(fltr::Purpose::privacy).laplace(scale_));
    return m;
  }

 private:
  double scale_;
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, Hides{1.0})
      .start(fltr::split_iid(data))
      .advance();
}
