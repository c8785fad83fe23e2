#include "saved_input.hpp"

#include <limits>
#include <string>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr double largest_float = static_cast<double>(std::numeric_limits<float>::max());

std::string clamp_text(double clamp_to) { return clamp_to < largest_float ? shortest(clamp_to) : "off"; }

[[noreturn]] void throw_contradiction(std::filesystem::path const& file, std::string const& option,
                                      std::string const& given, std::string const& saved) {
  throw UsageError(fmt::format("{0} {1} contradicts {2}, whose model was trained with {0} {3}; leave {0} out", option,
                               given, file.string(), saved));
}

/// The ModelInput of the options alone. zscore is refused: the statistics of the training documents are unknown.
ModelInput input_of_options(std::filesystem::path const& file, Normalization normalize, double clamp) {
  if (normalize == Normalization::zscore)
    throw UsageError(fmt::format(
        "--normalize zscore needs the mean and deviation of the training documents, which {} does not contain",
        file.string()));
  return {letor_options(clamp).clamp_to, FittedNormalization::fit(normalize, Dataset())};
}

}  // namespace

char const* name_of(Normalization how) noexcept {
  switch (how) {
    case Normalization::none:
      return "none";
    case Normalization::query:
      return "query";
    case Normalization::zscore:
      break;
  }
  return "zscore";
}

LetorOptions letor_options(double clamp) {
  bool const off = !(clamp < largest_float);
  LetorOptions letor;
  letor.clamp_to = off ? largest_float : clamp;
  letor.huge_values = off ? HugeValues::reject : HugeValues::clamp;
  return letor;
}

double clamp_option(ModelInput const& input) noexcept {
  return input.clamp_to < largest_float ? input.clamp_to : std::numeric_limits<double>::infinity();
}

std::string not_stated(std::filesystem::path const& file) {
  return fmt::format(
      "{} does not say how its features were normalised, because it is a model file of version 1: give --normalize as "
      "in "
      "training",
      file.string());
}

ModelInput saved_input(Program const& program, std::filesystem::path const& file,
                       std::optional<ModelInput> const& saved, Normalization normalize, double clamp) {
  if (!saved) {
    if (!program.given("--normalize")) throw UsageError(not_stated(file));
    return input_of_options(file, normalize, clamp);
  }
  Normalization const how = saved->normalization.kind();
  if (program.given("--normalize") && normalize != how)
    throw_contradiction(file, "--normalize", name_of(normalize), name_of(how));
  if (program.given("--clamp") && letor_options(clamp).clamp_to != saved->clamp_to)
    throw_contradiction(file, "--clamp", clamp_text(clamp), clamp_text(saved->clamp_to));
  return *saved;
}

ModelInput text_model_input(std::filesystem::path const& file, std::optional<Normalization> normalize, double clamp) {
  return input_of_options(file, normalize.value_or(Normalization::none), clamp);
}

std::string export_note(std::filesystem::path const& file, Normalization how) {
  if (how == Normalization::none) return "";
  return fmt::format(
      "note: {} cannot hold the normalisation --normalize {}, because text models of LightGBM have no place for it: "
      "normalise documents in the same way before this model scores them",
      file.string(), name_of(how));
}

}  // namespace fltr::examples
