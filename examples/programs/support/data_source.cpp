#include "data_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fltr/data/fold.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/formats/letor_folds.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "saved_input.hpp"
#include "stopwatch.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";
constexpr std::uint64_t split_seed = 1;

SyntheticShape shape_named(std::string const& name) {
  try {
    return SyntheticShape::named(name);
  } catch (std::invalid_argument const&) {
    throw UsageError(fmt::format("--data: required synthetic:mq2007, mslr, yahoo or istella, got \"{}\"", name));
  }
}

/// N of a folder named FoldN; 1 for other names.
std::size_t fold_number(std::filesystem::path const& folder) {
  std::string const name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  if (!name.starts_with("Fold") && !name.starts_with("fold")) return 1;
  return static_cast<std::size_t>(parse_whole(name.substr(4)).value_or(1));
}

/// The same documents in the same order.
bool equal(Dataset const& a, Dataset const& b) {
  if (a.size() == 0 || a.size() != b.size() || a.document_count() != b.document_count()) return false;
  for (std::size_t q = 0; q < a.size(); ++q) {
    QueryView const of_a = a[q];
    QueryView const of_b = b[q];
    if (!std::ranges::equal(of_a.grades(), of_b.grades())) return false;
    for (std::size_t d = 0; d < of_a.document_count(); ++d)
      if (!std::ranges::equal(of_a.row(d), of_b.row(d))) return false;
  }
  return true;
}

/// NamedFold::equal_parts.
std::string equal_parts(NamedFold const& fold) {
  auto const sentence = [&](char const* parts, char const* effect) {
    return fmt::format("{}: {} have the same documents; {}", fold.name, parts, effect);
  };
  bool const as_vali = equal(fold.train, fold.vali);
  if (equal(fold.train, fold.test))
    return sentence(as_vali ? "train, vali and test" : "train and test", "results say nothing about unseen queries");
  if (as_vali) return sentence("train and vali", "what vali chooses is chosen on the training queries");
  if (equal(fold.vali, fold.test)) return sentence("vali and test", "what vali chooses is chosen on the test queries");
  return "";
}

}  // namespace

std::size_t NamedFold::grade_count() const noexcept {
  return std::max({train.grade_count(), vali.grade_count(), test.grade_count()});
}

void NamedFold::normalize(FittedNormalization how, Secrecy statistics) {
  static_cast<Fold&>(*this) = how.apply(std::move(static_cast<Fold&>(*this)), statistics);
  input.normalization = std::move(how);
}

DataSource::DataSource(CommonOptions const& options) : options_(&options) {
  std::string const& data = options.data;
  if (data.starts_with(synthetic_prefix)) {
    if (options.split) throw UsageError("--split is for a single file; a synthetic set is already divided");
    auto const parts = split_text(data.substr(synthetic_prefix.size()), ':');
    synthetic_ = shape_named(parts.empty() ? "" : parts[0]);
    if (parts.size() > 1) {
      scale_ = parse_number(parts[1]).value_or(0);
      double const queries = scale_ * static_cast<double>(synthetic_->queries);
      if (!(queries >= 5 && queries <= 1e8))
        throw UsageError(
            fmt::format("--data {}: required a size that gives 5 to 1e8 queries, such as synthetic:{}:0.1, got \"{}\"",
                        data, parts[0], parts[1]));
    }
    if (parts.size() > 2) {
      std::uint64_t const draw = parse_whole(parts[2]).value_or(0);
      if (parts.size() > 3 || draw < 1 || draw > 0xFFFF'FFFFU)
        throw UsageError(fmt::format(
            "--data {}: required a draw from 1 to 4294967295 after the size, such as synthetic:{}:0.1:2, got \"{}\"",
            data, parts[0], join({parts.begin() + 2, parts.end()}, ":")));
      synthetic_->seed += (draw - 1) << 32U;
    }
    places_.push_back({data, 1});
    return;
  }
  std::filesystem::path const path = data;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (options.split) throw UsageError(fmt::format("--split is for a single file; --data {} is a folder", data));
    for (auto const& folder : fold_folders(path)) places_.push_back({folder.string(), fold_number(folder)});
    if (places_.empty()) places_.push_back({data, fold_number(path)});
    for (Place const& place : places_)
      static_cast<void>(fold_files(place.path));  // throws before the first run if a file is missing
  } else if (std::filesystem::exists(path, error)) {
    if (!options.split)
      throw UsageError(fmt::format(
          "--data {} is a single file; give its parts for train, vali and test, such as --split .6,.2,.2", data));
    places_.push_back({data, 1});
  } else if (std::filesystem::exists(data + ".train.txt", error)) {  // Yahoo/set1
    if (options.split)
      throw UsageError(fmt::format("--split is for a single file; --data {} is already divided", data));
    places_.push_back({data, 1});
  } else {
    throw std::runtime_error(fmt::format("--data: there is no file or folder {}", data));
  }
}

NamedFold DataSource::load(std::size_t index) {
  Stopwatch const watch;
  Place const& place = places_.at(index);
  LetorOptions letor = letor_options(options_->clamp);
  letor.threads = options_->threads;
  LetorReport report;
  NamedFold fold{{}, place.number, place.path};
  auto& parts = static_cast<Fold&>(fold);
  if (synthetic_)
    parts = synthetic_fold(*synthetic_, scale_);
  else if (options_->split)
    parts = split_by_query(read_letor(place.path, letor, &report), *options_->split, split_seed);
  else
    parts = read_letor_fold(place.path, letor, {}, &report);
  fold.clamped = report.clamped;
  fold.input.clamp_to = letor.clamp_to;
  if (!synthetic_) fold.equal_parts = equal_parts(fold);
  fold.normalize(FittedNormalization::fit(options_->normalize, fold.train),
                 options_->public_statistics ? Secrecy::published : Secrecy::confidential);
  seconds_ += watch.seconds();
  return fold;
}

DatasetSummary summary_of(NamedFold const& fold) {
  DatasetSummary summary{.features = fold.train.feature_count(), .grades = fold.grade_count(), .clamped = fold.clamped};
  for (Dataset const* part : {&fold.train, &fold.vali, &fold.test}) {
    summary.queries += part->size();
    summary.documents += part->document_count();
    summary.empty_queries += part->empty_query_count();
  }
  return summary;
}

void require_click_tables(NamedFold const& fold) {
  constexpr std::array<std::size_t, 3> known{2, 3, 5};
  std::size_t const grades = fold.grade_count();
  if (std::ranges::find(known, grades) == known.end())
    throw std::runtime_error(
        fmt::format("--data {}: required 2, 3 or 5 grades, for which built-in click tables exist, got {}; other data "
                    "needs its own click tables",
                    fold.name, grades));
}

}  // namespace fltr::examples
