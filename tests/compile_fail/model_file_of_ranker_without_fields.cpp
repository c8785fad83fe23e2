// first error: fltr: the Ranker has no 'fields', so no model file can hold it
#include <fltr/formats/model_file.hpp>

struct Bare {
  void score(fltr::QueryView, std::span<float>) const {}
};
void run() { fltr::write_model("model.fltr", Bare{}); }
