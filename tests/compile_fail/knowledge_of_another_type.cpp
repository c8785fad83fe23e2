// build error: constraint(s| failure).*(SignFlip|Knowledge)
#include <fltr/attacks/sign_flip.hpp>

fltr::SignFlip<bool> attack;
