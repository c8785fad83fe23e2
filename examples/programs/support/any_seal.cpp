#include "any_seal.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include <fltr/core/fields.hpp>

#ifdef FLTR_PROGRAMS_USE_SECURE
#include <fltr/aggregators/secure_sum.hpp>
#endif

namespace fltr::examples {

namespace {

template <class Word>
std::vector<std::uint64_t> widened(std::vector<Word> const& words) {
  return {words.begin(), words.end()};
}

template <class Word>
std::vector<Word> narrowed(std::vector<std::uint64_t> const& words) {
  std::vector<Word> out(words.size());
  std::ranges::transform(words, out.begin(), [](std::uint64_t word) { return static_cast<Word>(word); });
  return out;
}

/// Calls use(Word{}) with the type of the words.
template <class Use>
auto with_word(bool narrow, Use const& use) {
  return narrow ? use(std::uint32_t{}) : use(std::uint64_t{});
}

/// A contribution of an ideal sum.
SealedContribution without_masks(ContributionSeal const& seal, Contribution const& contribution,
                                 SealContext const& context) {
  return with_word(seal.narrow, [&](auto word) {
    return SealedContribution{widened(seal.grid.words<decltype(word)>(contribution, context.round.asked.size())), {}};
  });
}

bool complete(std::vector<std::uint64_t> const& words, SealRound const& round) {
  return words.size() == round.broadcast.size() + 1;
}

#ifdef FLTR_PROGRAMS_USE_SECURE

/// The aggregator of plain contributions.
struct Contributions {
  struct Sum {
    void add(Contribution const&) {}
  };
  [[nodiscard]] Contribution contribution(Contribution const& own, std::span<float const>) const { return own; }
  [[nodiscard]] Sum restored(ContributionSum const&, std::span<float const>) const { return {}; }
};

template <class Word>
using Masked = SecureSum<Contributions, SecureServer::curious, Word>;

/// Calls use(protocol) with the SecureSum of these settings.
template <class Use>
auto with_protocol(ContributionSeal const& seal, Use const& use) {
  return with_word(seal.narrow, [&](auto word) {
    return use(Masked<decltype(word)>{
        .setting = seal.setting, .grid = seal.grid, .graph = seal.graph, .threads = seal.threads});
  });
}

template <class T>
T read(std::vector<std::byte> const& bytes) {
  T value{};
  if (bytes.empty()) return value;
  FieldReader reader{std::span<std::byte const>(bytes)};
  reader.read(value);
  reader.expect_end();
  return value;
}

#endif

}  // namespace

#ifdef FLTR_PROGRAMS_USE_SECURE

struct SealRecordOfRound::Content {
  Masked<std::uint64_t>::Record record;
};

bool masks_available() noexcept { return true; }

namespace {

using Secret = Masked<std::uint64_t>::Secret;
static_assert(std::same_as<Secret, Masked<std::uint32_t>::Secret> &&
              std::same_as<Masked<std::uint64_t>::Record, Masked<std::uint32_t>::Record>);

Masked<std::uint64_t>::Record const& content_of(auto const& content) {
  static Masked<std::uint64_t>::Record const empty;
  return content ? content->record : empty;
}
auto& changed_content_of(auto& content) {
  if (!content) content = std::make_shared<typename std::remove_reference_t<decltype(content)>::element_type>();
  return content->record;
}

}  // namespace

Letter ContributionSeal::answer(std::size_t phase, SealBytes& secret, Letter const& question,
                                SealContext const& context) const {
  if (!masked) return {};
  auto own = read<Secret>(secret.bytes);
  Letter letter = with_protocol(*this, [&](auto const& sum) { return sum.answer(phase, own, question, context); });
  secret.bytes = field_bytes(own);
  return letter;
}

SealedContribution ContributionSeal::seal(Contribution const& contribution, SealBytes& secret, Letter const& question,
                                          SealContext const& context) const {
  if (!masked) return without_masks(*this, contribution, context);
  auto own = read<Secret>(secret.bytes);
  auto sealed = with_protocol(*this, [&](auto const& sum) {
    auto wire = sum.seal(contribution, own, question, context);
    SealedContribution out{widened(wire.words), {}};
    wire.words.clear();
    out.proof = field_bytes(wire);
    return out;
  });
  secret.bytes = field_bytes(own);
  return sealed;
}

Letter ContributionSeal::ask(std::size_t phase, SealRecordOfRound const& record, ClientId to,
                             SealRound const& round) const {
  if (!masked) return {};
  return with_protocol(*this, [&](auto const& sum) { return sum.ask(phase, content_of(record.content_), to, round); });
}

bool ContributionSeal::receive(std::size_t phase, SealRecordOfRound& record, ClientId from, Letter const& letter,
                               SealRound const& round) const {
  if (!masked) return true;
  return with_protocol(*this, [&](auto const& sum) {
    return sum.receive(phase, changed_content_of(record.content_), from, letter, round);
  });
}

void ContributionSeal::answered(std::size_t phase, SealRecordOfRound& record, std::span<ClientId const> ids,
                                SealRound const& round) const {
  if (!masked) return;
  with_protocol(*this, [&](auto const& sum) { sum.answered(phase, changed_content_of(record.content_), ids, round); });
}

bool ContributionSeal::accepts(SealedContribution const& sealed, SealRecordOfRound const& record, ClientId from,
                               SealRound const& round) const {
  if (!masked) return complete(sealed.words, round);
  return with_protocol(*this, [&]<class Word>(Masked<Word> const& sum) {
    auto wire = read<typename Masked<Word>::Wire>(sealed.proof);
    wire.words = narrowed<Word>(sealed.words);
    return sum.accepts(wire, content_of(record.content_), from, round);
  });
}

void ContributionSeal::reported(SealRecordOfRound& record, std::span<ClientId const> ids,
                                SealRound const& round) const {
  if (!masked) return;
  with_protocol(*this, [&](auto const& sum) { sum.reported(changed_content_of(record.content_), ids, round); });
}

bool ContributionSeal::open(SealedContributionSum& sum, SealRecordOfRound const& record, SealRound const& round) const {
  if (!masked) return !sum.damaged && complete(sum.total, round);
  return with_protocol(*this, [&]<class Word>(Masked<Word> const& protocol) {
    typename Masked<Word>::Sum words{narrowed<Word>(sum.total), sum.count, sum.damaged};
    bool const open = protocol.open(words, content_of(record.content_), round);
    sum.total = widened(words.total);
    return open;
  });
}

#else

// ContributionSeal::masked is never true here: see check_secure.

struct SealRecordOfRound::Content {};

bool masks_available() noexcept { return false; }

Letter ContributionSeal::answer(std::size_t, SealBytes&, Letter const&, SealContext const&) const { return {}; }
SealedContribution ContributionSeal::seal(Contribution const& contribution, SealBytes&, Letter const&,
                                          SealContext const& context) const {
  return without_masks(*this, contribution, context);
}
Letter ContributionSeal::ask(std::size_t, SealRecordOfRound const&, ClientId, SealRound const&) const { return {}; }
bool ContributionSeal::receive(std::size_t, SealRecordOfRound&, ClientId, Letter const&, SealRound const&) const {
  return true;
}
void ContributionSeal::answered(std::size_t, SealRecordOfRound&, std::span<ClientId const>, SealRound const&) const {}
bool ContributionSeal::accepts(SealedContribution const& sealed, SealRecordOfRound const&, ClientId,
                               SealRound const& round) const {
  return complete(sealed.words, round);
}
void ContributionSeal::reported(SealRecordOfRound&, std::span<ClientId const>, SealRound const&) const {}
bool ContributionSeal::open(SealedContributionSum& sum, SealRecordOfRound const&, SealRound const& round) const {
  return !sum.damaged && complete(sum.total, round);
}

#endif

ContributionSum ContributionSeal::opened(SealedContributionSum const& sum) const {
  return with_word(narrow, [&](auto word) {
    auto const words = narrowed<decltype(word)>(sum.total);
    return grid.sum(std::span(words), sum.count);
  });
}

}  // namespace fltr::examples
