// Server and clients in separate processes: weights and messages travel as bytes over socket pairs. A client draws its
// noise under a secret key that never leaves its process, and refuses rounds that are not within limits of its own.
#include <sys/socket.h>
#include <unistd.h>

#include <iostream>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/server_round.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/wire.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

constexpr std::uint32_t client_count = 50, round_count = 20;
// The noise of 50 messages with 4 interactions each is in every sum, and the client trusts the server to keep only sums.
constexpr fltr::ClientLimits limits{client_count, client_count, 4, 4, fltr::ServerView::assumed_sum, 2000.0};
void send(int socket, fltr::LocalWeights const& message) {
  auto const bytes = fltr::to_bytes(message);
  static_cast<void>(::send(socket, bytes.data(), bytes.size(), 0));
}
fltr::LocalWeights receive(int socket) {
  std::vector<std::byte> packet(4096);
  auto const size = ::recv(socket, packet.data(), packet.size(), 0);
  return fltr::from_bytes<fltr::LocalWeights>(std::span(packet).first(size > 0 ? static_cast<std::size_t>(size) : 0U));
}

void run_client(int socket, fltr::Client const& client) {
  auto key = fltr::ClientKey::from_system();
  fltr::ClientAccount account(limits);
  fltr::NoState state;
  for (fltr::RoundInfo round{.participants = client_count}; round.number <= round_count; ++round.number)
    send(socket, fltr::client_message(fltr::Pdgd{}, fltr::CascadeModel::perfect(3), fltr::GammaNoise{.epsilon = 10.0},
                                      fltr::LinearRanker{receive(socket).values}, client, round, state, key, account));
}

int main() {
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5), fltr::Normalization::query);
  int sockets[client_count][2] = {};
  for (std::uint32_t id = 0; id < client_count; ++id) {
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets[id]) != 0) return 1;
    if (::fork() == 0) return run_client(sockets[id][1], {.id = id, .queries = fltr::QueryPool(data.train)}), 0;
  }
  fltr::LinearRanker ranker{data.train.feature_count()};
  for (std::uint32_t round = 1; round <= round_count; ++round) {
    std::vector<fltr::ClientMessage<fltr::LocalWeights>> messages(client_count);
    for (auto const& ends : sockets) send(ends[0], {{ranker.parameters().begin(), ranker.parameters().end()}});
    for (std::uint32_t id = 0; id < client_count; ++id) messages[id] = {id, receive(sockets[id][0])};
    fltr::NoState state;
    auto const counts = fltr::serve_round(fltr::FedAvg{}, {client_count, 4}, messages, ranker, state);
    if (round % 10 == 0)
      std::cout << counts.reported << " messages, nDCG@10 " << fltr::evaluate(ranker, data.test, fltr::Ndcg{}) << '\n';
  }
}
