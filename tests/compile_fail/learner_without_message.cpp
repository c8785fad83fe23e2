// build error: fltr: the Learner has no nested type Message
#include "parts.hpp"

struct Silent {};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Silent{}, fltr::FedAvg{});
