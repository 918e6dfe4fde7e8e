// Clients that lose patience: they ask another master while their first request still waits, and
// only then hang up on the first. Whoever was told of a seat gets in.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::HeldRequest;
using support::LocalCluster;

enum class First : std::uint8_t { hung_up, paused };

struct Impatience {
  const char* name;
  First first;
  std::size_t party;  // players of one request
};

class ImpatientClients : public ::testing::TestWithParam<Impatience> {
 protected:
  static constexpr std::size_t players = 200;
  static constexpr std::size_t regions = 5;

  // Rooms boot for longer than a busy machine takes to bring all requests to the second master.
  ImpatientClients() : cluster_({.masters = 2, .workers = 3, .capacity = 8, .boot_ms = 5000}) {
    cluster_.start();
  }

  [[nodiscard]] static std::size_t requests() { return players / GetParam().party; }

  static std::string body_of(std::size_t request) {
    std::vector<std::string> party;
    for (std::size_t member = 0; member < GetParam().party; ++member) {
      party.push_back("p" + std::to_string(request) + "-" + std::to_string(member));
    }
    return support::party_body(party, "r" + std::to_string(request % regions));
  }

  std::vector<HeldRequest> ask(std::size_t master) {
    std::vector<HeldRequest> asked;
    asked.reserve(requests());
    for (std::size_t request = 0; request < requests(); ++request) {
      asked.emplace_back(cluster_.http(master), body_of(request));
    }
    return asked;
  }

  [[nodiscard]] std::size_t reserved_as_known_by(std::size_t master) const {
    std::size_t reserved = 0;
    for (const auto& room : cluster_.rooms(master)) reserved += room.at("reserved").get<unsigned>();
    return reserved;
  }

  LocalCluster cluster_;
};

TEST_P(ImpatientClients, who_were_told_of_a_seat_all_get_in) {
  auto first = ask(0);
  support::wait_until("all have seats in rooms that boot",
                      [&] { return reserved_as_known_by(1) == players; });
  if (GetParam().first == First::paused) cluster_.master(0).signal(SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  auto second = ask(1);
  support::wait_until("the second master has them all", [&] {
    return support::get_metric(cluster_.admin(1), "master_match_requests_waiting") ==
           static_cast<double>(requests());
  });
  for (auto& request : first) request.hang_up();

  std::vector<client_sim::MatchAnswer> seats;
  for (auto& request : second) {
    const auto reply = request.answer();
    ASSERT_EQ(reply.status, 200U) << reply.body;
    for (auto& seat : support::seats_of(reply.body)) seats.push_back(std::move(seat));
  }
  ASSERT_EQ(seats.size(), players);
  if (GetParam().first == First::paused) {
    // The pause is what is tested, so this waits for the clock.
    support::wait_until("the pause is over",
                        [&] { return std::chrono::steady_clock::now() - stopped >= 5s; });
    cluster_.master(0).signal(SIGCONT);
  }
  support::wait_until("the first master has seen that they are gone", [&] {
    return support::get_metric(cluster_.admin(0), "master_match_requests_waiting") == 0;
  });
  std::size_t let_in = 0;
  for (const auto& seat : seats) {
    const auto answer = support::join(seat);
    if (answer == "WELCOME") {
      ++let_in;
    } else {
      ADD_FAILURE() << seat.room_id << ": " << answer;
    }
  }
  EXPECT_EQ(let_in, players);
  expect_clean_stop(cluster_);
}

INSTANTIATE_TEST_SUITE_P(
    retry, ImpatientClients,
    ::testing::Values(Impatience{"when_the_first_master_is_hung_up_on", First::hung_up, 1},
                      Impatience{"when_the_first_master_is_paused", First::paused, 1},
                      Impatience{"as_parties", First::hung_up, 4},
                      Impatience{"as_parties_when_the_first_master_is_paused", First::paused, 4}),
    [](const auto& about) { return std::string{about.param.name}; });

}  // namespace
}  // namespace fixkeep::integration
