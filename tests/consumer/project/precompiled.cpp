// Includes nothing: the precompiled header has all of fltr, and fltr::precompiled has the function.
fltr::Fold normalized_fold() {
  return fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.01), fltr::Normalization::query);
}
