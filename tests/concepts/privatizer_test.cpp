#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/content_hash.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/privatizers/polya_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

/// Adds `scale` times numbers that an observer wants to find again.
struct Visible {
  float scale = 1.0F;

  LocalWeights privatize(LocalWeights message, PrivacyContext const& context) const {
    Stream stream = context.streams.of(Purpose::privacy);
    for (float& v : message.values) v += scale * static_cast<float>(stream.normal());
    return message;
  }
};

/// The numbers that a privatizer drew, in units of `scale`.
template <class P>
std::vector<float> drawn(P const& privatizer, LocalWeights const& message, PrivacyContext const& context, float scale) {
  auto out = privatized(privatizer, message, context).values;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (out[i] - message.values[i]) / scale;
  return out;
}

/// Whether two lists of eight numbers have one in common, up to rounding.
bool share_a_number(std::span<float const> a, std::span<float const> b) {
  for (float const x : a)
    for (float const y : b)
      if (x != 0.0F && x - y < 1e-5F && y - x < 1e-5F) return true;
  return false;
}

LocalWeights const zeros{std::vector<float>(8), 4};
std::vector<float> const broadcast(8, 0.25F);
PrivacyContext const context{10, 4, {.seed = 3, .round = 7, .client = 5}, broadcast};

}  // namespace

TEST_CASE("A message that is made again has the same noise") {
  CHECK(privatized(Visible{}, zeros, context).values == privatized(Visible{}, zeros, context).values);
}

TEST_CASE("Whatever the message depends on, another value of it has other noise") {
  auto const base = drawn(Visible{}, zeros, context, 1.0F);
  REQUIRE(base[0] != 0.0F);
  auto const differs = [&](LocalWeights const& message, PrivacyContext const& other) {
    return !share_a_number(base, drawn(Visible{}, message, other, 1.0F));
  };

  SECTION("the message") {
    for (std::size_t i = 0; i < 8; ++i) {
      LocalWeights message = zeros;
      message.values[i] = 0x1p-20F;
      CHECK(differs(message, context));
    }
    CHECK(differs({zeros.values, 3}, context));
  }
  SECTION("the parameters of the privatizer, whose noise would otherwise cancel: 2 (x + u) - (x + 2u) = x") {
    CHECK_FALSE(share_a_number(base, drawn(Visible{.scale = 2.0F}, zeros, context, 2.0F)));
    CHECK_FALSE(share_a_number(drawn(Chain{Clip{}, Visible{}}, zeros, context, 1.0F),
                               drawn(Chain{Clip{}, Visible{.scale = 2.0F}}, zeros, context, 2.0F)));
    CHECK_FALSE(share_a_number(drawn(Chain{Clip{1.0}, Visible{}}, zeros, context, 1.0F),
                               drawn(Chain{Clip{2.0}, Visible{}}, zeros, context, 1.0F)));
  }
  SECTION("the branch of the training's history: equal noise would tell that the messages are equal") {
    PrivacyContext one = context;
    one.branch = 1;
    CHECK(differs(zeros, one));
    PrivacyContext two = context;
    two.branch = std::uint64_t{1} << 63U;
    CHECK(differs(zeros, two));
    CHECK_FALSE(share_a_number(drawn(Visible{}, zeros, one, 1.0F), drawn(Visible{}, zeros, two, 1.0F)));
  }
  SECTION("what the server names: participants, interactions, the broadcast ranker") {
    PrivacyContext other = context;
    other.participants = 11;
    CHECK(differs(zeros, other));
    other = context;
    other.interactions = 3;
    CHECK(differs(zeros, other));
    other = context;
    auto another = broadcast;
    another.back() = 0.5F;
    other.broadcast = another;
    CHECK(differs(zeros, other));
    other.broadcast = std::span(broadcast).first(7);
    CHECK(differs(zeros, other));
  }
  SECTION("seed, round, client, replay and key") {
    for (Streams const& streams : {Streams{4, 7, 5}, Streams{3, 8, 5}, Streams{3, 7, 6}, Streams{3, 7, 5, true},
                                   Streams{3, 7, 5, false, Key256{1, 2, 3}}}) {
      PrivacyContext other = context;
      other.streams = streams;
      CHECK(differs(zeros, other));
    }
  }
}

TEST_CASE("With a secret key, too, another message has other noise, and the key decides the noise") {
  PrivacyContext keyed = context;
  keyed.streams.key = Key256{1, 2, 3, 4, 5, 6, 7, 8};
  auto const base = drawn(Visible{}, zeros, keyed, 1.0F);
  LocalWeights message = zeros;
  message.values[3] = 0x1p-20F;
  CHECK_FALSE(share_a_number(base, drawn(Visible{}, message, keyed, 1.0F)));
  PrivacyContext other = keyed;
  other.streams.key = Key256{1, 2, 3, 4, 5, 6, 7, 9};
  CHECK_FALSE(share_a_number(base, drawn(Visible{}, zeros, other, 1.0F)));
  other = keyed;
  other.streams.seed = 99;  // the seed is public and decides nothing
  CHECK(drawn(Visible{}, zeros, other, 1.0F) == base);
}

TEST_CASE("Messages whose XXH3 digests are equal have independent noise") {
  // In XXH3 the values 16 s + 2 l and 16 s + 2 l + 1 of stripe s and lane l are XORed with 8 bytes of a public secret,
  // then multiplied. If the first factor is 0 in two stripes of one lane, the other factors may be exchanged.
  constexpr std::size_t first = 16 * 5 + 2 * 4;
  constexpr std::size_t second = 16 * 6 + 2 * 4;
  auto const with = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  LocalWeights message{std::vector<float>(136, 0.01F), 4};
  message.values[first] = with(0x8B65'D088U);
  message.values[second] = with(0x9748'6471U);
  LocalWeights other = message;
  message.values[first + 1] = other.values[second + 1] = 0.4F;
  message.values[second + 1] = other.values[first + 1] = -0.3F;
  auto const digest = [](LocalWeights const& m) { return content_hash(std::as_bytes(std::span(m.values))); };
  REQUIRE(digest(message) == digest(other));
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (bool const keyed : {false, true}) {
      PrivacyContext own = context;
      own.streams.seed = seed;
      if (keyed) own.streams.key = Key256{static_cast<std::uint32_t>(seed)};
      auto const a = privatized(Visible{}, message, own).values;
      auto const b = privatized(Visible{}, other, own).values;
      for (std::size_t i = 0; i < a.size(); ++i)
        CHECK(std::abs((a[i] - message.values[i]) - (b[i] - other.values[i])) > 1e-6F);
    }
}

TEST_CASE("The noise of a message does not depend on the seeds of messages before") {
  auto const base = privatized(Visible{}, zeros, context).values;
  PrivacyContext other = context;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    other.streams.seed = seed;
    CHECK((privatized(Visible{}, zeros, other).values == base) == (seed == context.streams.seed));
    CHECK(privatized(Visible{}, zeros, context).values == base);
  }
}

TEMPLATE_TEST_CASE("Noise of another message is independent for every mechanism", "", GammaNoise, LaplaceNoise,
                   GaussianNoise) {
  // Two messages that differ by 2^-10 in one value. With the same noise, all other values would be equal.
  TestType const mechanism{};
  PrivacyContext one = context;
  one.participants = 1;
  LocalWeights message = zeros;
  message.values[0] = 0x1p-10F;
  auto const a = privatized(mechanism, zeros, one).values;
  auto const b = privatized(mechanism, message, one).values;
  for (std::size_t i = 1; i < a.size(); ++i) CHECK(a[i] != b[i]);
}

TEST_CASE("GammaNoise of another number of colluding clients is independent if it is another noise") {
  PrivacyContext one = context;
  auto const noise = [&](std::uint64_t fewest_reports, std::uint64_t colluding) {
    return privatized(GammaNoise{.fewest_reports = fewest_reports, .colluding = colluding}, zeros, one).values;
  };
  // With t reports the shares are 1/(t - c): a common key would give noise of the same source.
  Fingerprint const of_one = Fingerprint().add(GammaNoise{.fewest_reports = 5, .colluding = 1});
  CHECK_FALSE(of_one.value() == Fingerprint().add(GammaNoise{.fewest_reports = 5, .colluding = 2}).value());
  // Without, it changes the loss alone, and no message.
  CHECK(noise(0, 0) == noise(0, 1));
}

TEST_CASE("Privatizers that draw no noise are not hashed") {
  STATIC_REQUIRE_FALSE(composition::draws_noise<NoPrivacy>());
  STATIC_REQUIRE_FALSE(composition::draws_noise<Clip>());
  STATIC_REQUIRE_FALSE(composition::draws_noise<Chain<Clip, NoPrivacy>>());
  STATIC_REQUIRE(composition::draws_noise<Chain<Clip, LaplaceNoise>>());
  STATIC_REQUIRE(composition::draws_noise<GammaNoise>());
}

namespace {

/// States a loss that nobody proved.
struct Claims {
  double epsilon = 0.1;

  LocalWeights privatize(LocalWeights message, PrivacyContext const&) const { return message; }
  PrivacyLoss loss(RoundRelease const&) const { return {.epsilon_nominal = epsilon, .epsilon_accounted = epsilon}; }
};
/// Forgets to add noise. What it derives from does not make its loss true.
struct LessNoise : LaplaceNoise {
  LocalWeights privatize(LocalWeights message, PrivacyContext const&) const { return message; }
};
struct SendsZeros {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size()), client.interactions};
  }
};

}  // namespace

TEST_CASE("The loss of a policy that is not built in is marked as stated by the policy") {
  RoundRelease const release{.asked = 10, .reported = 10, .dimension = 4, .interactions = 4, .fewest_interactions = 4};
  RoundRelease sealed = release;
  sealed.view = ServerView::sealed_sum;
  sealed.sum_step = 0x1p-16;
  std::string const mark = stated_by_policy;
  auto const marked = [&](auto const& privatizer) {
    bool const open = loss(privatizer, release).assumption.find(mark) != std::string::npos;
    bool const under_a_seal = loss(privatizer, sealed).assumption.find(mark) != std::string::npos;
    CHECK(open == under_a_seal);
    return open;
  };
  CHECK_FALSE(marked(GammaNoise{}));
  CHECK_FALSE(marked(LaplaceNoise{}));
  CHECK_FALSE(marked(GaussianNoise{}));
  CHECK_FALSE(marked(DistributedGaussian{}));
  CHECK_FALSE(marked(PolyaNoise{}));
  CHECK_FALSE(marked(RandomizedMetric::max_rr(0.5)));
  CHECK_FALSE(marked(Chain(Clip{}, LaplaceNoise{})));
  CHECK_FALSE(marked(NoPrivacy{}));  // states nothing
  CHECK(marked(Claims{}));
  CHECK(marked(LessNoise{}));
  CHECK(marked(Chain(Clip{}, Claims{})));
  CHECK(marked(Chain(Chain(LaplaceNoise{}, Claims{}), LaplaceNoise{})));
  CHECK(loss(Claims{}, release).assumption == mark);

  // Beside the assumptions of the other links, each once.
  CHECK(loss(Chain(Claims{}, LaplaceNoise{}, Claims{}), release).assumption == mark);
  auto const server = loss(GammaNoise{}, release).assumption;
  REQUIRE_FALSE(server.empty());
  CHECK(loss(Chain(GammaNoise{}, Claims{}), release).assumption == server + "; " + mark);
  CHECK(loss(Chain(Claims{}, GammaNoise{}), release).assumption == mark + "; " + server);
}

TEST_CASE("The report of a training says that its loss is stated by the policy") {
  std::vector<Client> clients;
  for (ClientId id = 0; id < 3; ++id) clients.push_back({id, 4, QueryPool()});
  auto const report = [&](auto const& privatizer) {
    auto training = make_federation(LinearRanker(4), NoClicks{}, SendsZeros{}, FedAvg{}, privatizer).start(clients);
    CHECK(training.worst_loss()->assumption == loss(privatizer, {}).assumption);
    training.advance();
    return training.round().privacy.value();
  };
  CHECK(report(Claims{}).assumption == stated_by_policy);
  CHECK(report(Claims{}).epsilon_accounted == 0.1);
  CHECK(report(LaplaceNoise{}).assumption.empty());
}
