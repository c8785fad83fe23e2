// build error: constraint(s| failure).*(Fang|RobustRule)
#include <fltr/attacks/fang.hpp>
#include <fltr/attacks/knowledge.hpp>

#include "parts.hpp"

// FedAvg is not a RobustRule: attackers cannot simulate it on rows.
fltr::Fang<fltr::FedAvg, fltr::FullKnowledge> attack;
