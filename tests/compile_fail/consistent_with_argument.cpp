// build error: fltr: the model's hook 'consistent' must be callable as bool consistent
#include <fltr/formats/model_file.hpp>

#include <string_view>
#include <vector>

// `consistent` takes an argument. Without the check at compile time, it would not be called and a damaged file
// accepted.
struct Model {
  static constexpr std::string_view model_name = "mine";
  std::vector<float> weights;
  bool consistent(int) const { return !weights.empty(); }
  auto fields(auto&& visit) { return visit(weights); }
};
auto model = fltr::read_model<Model>("model.fltr");
