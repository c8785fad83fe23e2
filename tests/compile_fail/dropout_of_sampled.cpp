// build error: fltr: Dropout stands within Sampled
#include <vector>

#include <fltr/partition/participation.hpp>

// Dropout would hide who is asked.
fltr::Dropout population{fltr::Sampled{std::vector<fltr::Client>{}, 10}, 0.1};
