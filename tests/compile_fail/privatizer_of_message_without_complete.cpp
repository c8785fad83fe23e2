// build error: a Privatizer that states a loss needs the Message's hook 'complete
#include <cstdint>

#include <fltr/privatizers/laplace_noise.hpp>

#include "parts.hpp"

struct Mine {
  std::vector<float> values;
  std::uint32_t interactions = 0;
  auto fields(auto&& visit) { return visit(values, interactions); }
};

auto const sent = fltr::LaplaceNoise{}.privatize(Mine{{1.0F}, 0}, {1, 4, {}});
