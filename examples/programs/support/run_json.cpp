#include <nlohmann/json.hpp>

#include <fltr/core/version.hpp>
#include <fltr/metrics/summary_statistics.hpp>

#include "environment.hpp"
#include "interruption.hpp"
#include "json.hpp"
#include "recorder.hpp"
#include "run_summary.hpp"

namespace fltr::examples {

namespace {

Json text_or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

/// The mean of every result over the runs of a fold (0: of all folds), and its deviation beside it.
Json means(RunSummary const& summary, std::size_t fold) {
  Json json = Json::object();
  for (std::string const& name : summary.names()) {
    auto const values = summary.values(name, fold);
    json[name] = number_or_null(mean(values));
    json[name + "_sd"] = number_or_null(standard_deviation(values));
  }
  return json;
}

Json privacy_json(std::optional<PrivacySpent> const& spent, std::optional<BudgetStop> const& stop) {
  if (!spent && !stop) return {};
  if (!spent) return privacy_json(PrivacySpent{.epsilon_any_stop = 0}, stop);
  Json json{{"epsilon_nominal", number_or_inf(spent->epsilon_nominal)},
            {"epsilon_accounted", number_or_inf(spent->epsilon_accounted)},
            {"epsilon_any_stop", number_or_inf(spent->epsilon_any_stop)},
            {"delta", number_or_inf(spent->delta)}};
  if (!spent->bound.empty()) json["bound"] = spent->bound;
  if (!spent->assumption.empty()) json["assumption"] = spent->assumption;
  if (!spent->reason.empty()) json["reason"] = spent->reason;
  if (stop)
    json["budget_stop"] = {
        {"before_round", stop->round}, {"epsilon_after_round", number_or_inf(stop->epsilon)}, {"budget", stop->budget}};
  return json;
}

}  // namespace

Json Recorder::run_json() const {
  RunSummary const summary(runs_, headline_.result);
  Json json;
  json["program"] = program_->name();
  json["version"] = version;
  json["date"] = utc_date(start_);
  json["compiler"] = compiler_name();
  json["processor"] = text_or_null(processor_name());
  json["ranks"] = rank_count();
  json["options"] = program_->options();
  json["interrupted"] = was_interrupted();
  if (was_interrupted()) {
    bool const within = !runs_.empty() && runs_.back().cut_short();
    json["interruption"] = {{"signal", stop_signal_name()}, {"runs", runs_.size()}, {"runs_planned", expected_runs_}};
    json["interruption"]["last_run_ends_at_round"] = within ? Json(runs_.back().last_round()) : Json();
  }
  if (!warnings_.empty()) json["warnings"] = warnings_;
  if (!files_.missing().empty()) json["missing_files"] = files_.missing();
  json["files"] = files_.names();
  json["dataset"] = {
      {"queries", dataset_.queries}, {"documents", dataset_.documents},         {"features", dataset_.features},
      {"grades", dataset_.grades},   {"empty_queries", dataset_.empty_queries}, {"clamped", dataset_.clamped}};
  json["dataset"]["path"] = text_or_null(data_path_);
  json["dataset"]["hash"] = text_or_null(data_hash_);
  json["result"] = means(summary, 0);
  json["result"].update(*own_results_);
  if (auto const folds = summary.folds(); folds.size() > 1) {
    json["result"]["folds"] = Json::array();
    for (std::size_t const fold : folds) {
      Json part{{"fold", fold}};
      part.update(means(summary, fold));
      json["result"]["folds"].push_back(std::move(part));
    }
  }
  json["privacy"] = runs_.empty() ? Json() : privacy_json(runs_.front().privacy(), runs_.front().budget_stop());
  if (json["privacy"].is_object()) json["privacy"]["not_covered"] = not_covered(summary);
  for (auto const& [name, seconds] : seconds_) json["seconds"][name] = seconds;
  json["seconds"]["train"] = summary.train_seconds();
  json["seconds"]["evaluate"] = summary.evaluate_seconds();
  json["interactions"] = options_->no_online ? Json() : Json(summary.interactions());
  json["interactions_per_second"] =
      options_->no_online ? Json()
                          : number_or_null(static_cast<double>(summary.interactions()) / summary.train_seconds());
  json["model_sha256"] = text_or_null(runs_.empty() ? "" : runs_.front().model_sha256());
  return json;
}

}  // namespace fltr::examples
