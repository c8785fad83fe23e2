// Ten clients, each a process, and a server compute a mean over pipes. One client dies in each phase. Needs libsodium.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/secure_sum.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/rankers/linear_ranker.hpp>

using Seal = fltr::SecureSum<fltr::FedAvg>;
static void send(std::FILE* to, fltr::Letter const& letter) {
  std::size_t const size = letter.size();
  std::fwrite(&size, sizeof size, 1, to), std::fwrite(letter.data(), 1, size, to), std::fflush(to);
}
static bool receive(std::FILE* from, fltr::Letter& letter) {
  std::size_t size = 0;
  if (std::fread(&size, sizeof size, 1, from) != 1 || size > 1'000'000) return false;
  letter.resize(size);
  return std::fread(letter.data(), 1, size, from) == size;
}
static fltr::LocalWeights message_of(fltr::ClientId id) { return {{static_cast<float>(id)}, 1}; }
// Client i dies in phase i. Its secrets are wiped in the end. Its account refuses to take part in this round twice.
static void run_client(Seal const& seal, fltr::SealRound const& round, fltr::ClientId id, int read_from, int write_to) {
  std::FILE *in = fdopen(read_from, "rb"), *out = fdopen(write_to, "wb");
  fltr::ClientAccount account({.most_participants = 10, .fewest_reports = 6, .most_interactions = 1});
  fltr::SealedClient client(seal, {round, id, 1, {.key = fltr::ClientKey::from_system().next()}}, account);
  for (fltr::Letter letter; receive(in, letter) && client.phase() != id;)
    send(out, client.phase() == 2 ? client.seal(message_of(id), letter) : client.answer(letter));
}

int main() {
  std::vector<fltr::ClientId> const asked{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> const broadcast(1);
  fltr::SealRound const round{1, asked, broadcast, 6};
  Seal const seal = Seal{.setting = {.dropout = 0.4, .corrupt = 0.1}}.prepared_for(asked.size());
  std::vector<std::FILE*> to, from;
  for (fltr::ClientId const id : asked) {
    int questions[2], answers[2];
    if (pipe(questions) != 0 || pipe(answers) != 0) return 1;
    if (fork() == 0) return close(questions[1]), run_client(seal, round, id, questions[0], answers[1]), 0;
    close(questions[0]), close(answers[1]);
    to.push_back(fdopen(questions[1], "wb")), from.push_back(fdopen(answers[0], "rb"));
  }
  fltr::SealedRound<Seal, fltr::LocalWeights> server(seal, round);
  for (; !server.finished(); server.next_phase(), std::cout << '\n') {
    std::cout << "phase " << server.phase() << ", clients that answered:";
    for (fltr::ClientId const id : server.waiting()) {
      send(to[id], server.question(id));
      if (fltr::Letter letter; receive(from[id], letter) && server.receive(id, letter)) std::cout << ' ' << id;
    }
  }
  fltr::LinearRanker ranker(1);
  fltr::NoState state;
  std::cout << describe(seal.graph) << "; mean of " << server.aggregate(ranker, state).reported
            << " numbers: " << ranker.parameters()[0] << '\n';
}
