// The functions of fltr that depend on no policy. It is included twice: FLTR_COMPILED is `extern template` in the
// precompiled header and `template` in fltr_precompiled.cpp.
namespace fltr {

FLTR_COMPILED Fold synthetic_fold<void>(SyntheticShape const&, double, std::size_t);
FLTR_COMPILED Fold split_by_query<void>(Dataset const&, std::array<double, 3> const&, std::uint64_t);
FLTR_COMPILED Dataset select_queries<void>(Dataset const&, std::span<std::uint32_t const>);
FLTR_COMPILED Dataset pad_features<void>(Dataset, std::size_t);
FLTR_COMPILED Dataset normalize_per_query<void>(Dataset);
FLTR_COMPILED Dataset normalize_zscore<void>(Dataset);
FLTR_COMPILED Fold normalize<void>(Fold, Normalization);

FLTR_COMPILED Dataset parse_letor<void>(std::string_view, std::string_view, LetorOptions const&, LetorReport*);
FLTR_COMPILED Dataset read_letor<void>(std::filesystem::path const&, LetorOptions const&, LetorReport*);
FLTR_COMPILED Dataset read_letor_cached<void>(std::filesystem::path const&, LetorOptions const&,
                                              std::filesystem::path const&, LetorReport*);
FLTR_COMPILED Fold read_letor_fold<void>(std::filesystem::path const&, LetorOptions const&,
                                         std::filesystem::path const&, LetorReport*);
FLTR_COMPILED std::vector<std::filesystem::path> fold_folders<void>(std::filesystem::path const&);
FLTR_COMPILED void write_letor<void>(Dataset const&, std::ostream&);
FLTR_COMPILED void write_letor<void>(Dataset const&, std::filesystem::path const&);

FLTR_COMPILED RecordedLogs parse_click_log<void>(std::string_view, std::string, Dataset const&);
FLTR_COMPILED RecordedLogs read_click_log<void>(std::filesystem::path const&, Dataset const&);
FLTR_COMPILED LinearRanker train_logging_policy<void>(Dataset const&, LoggingPolicy const&);

FLTR_COMPILED LightGbmModel parse_lightgbm_model<void>(std::string_view, std::string);
FLTR_COMPILED LightGbmModel read_lightgbm_model<void>(std::filesystem::path const&);
FLTR_COMPILED std::string lightgbm_text<void>(LightGbmModel const&);
FLTR_COMPILED void write_lightgbm_model<void>(std::filesystem::path const&, LightGbmModel const&);

}  // namespace fltr
