// build error: fltr: Dropout must be inside Sampled
#include <vector>

#include <fltr/partition/dropout.hpp>
#include <fltr/partition/sampled.hpp>

// Dropout would hide the hook 'participants' of Sampled.
fltr::Dropout population{fltr::Sampled{std::vector<fltr::Client>{}, 10}, 0.1};
