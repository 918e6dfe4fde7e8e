// Tickets: players whose connections break go on with the age that they had, at any master.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using support::HeldRequest;
using support::LocalCluster;
using support::Part;
using Clock = std::chrono::steady_clock;

std::string duellist(const std::string& player, int rating) {
  auto body = json::parse(support::match_body(player, "eu"));
  body.erase("wait_ms");
  body["attributes"]["rating"] = rating;
  return body.dump();
}

LocalCluster::Change with_rules(int widens_after_ms, int keep_ms = 30'000) {
  const json steps{{{"after_ms", 0}, {"most", 50}}, {{"after_ms", widens_after_ms}, {"most", 400}}};
  const json rules{{"wait_ms", 60'000},
                   {"distance", {{{"attribute", "rating"}, {"steps", steps}}}}};
  return [=](LocalCluster::Config& config, Part part, std::size_t) {
    if (part != Part::master) return;
    config["modes"][0]["rules"] = rules;
    config["tickets"]["keep_ms"] = keep_ms;
  };
}

std::string make_ticket(const LocalCluster& cluster, std::size_t master, const std::string& body) {
  const auto made = support::post(cluster.http(master), "/v1/tickets", body);
  if (!made || made->status != 201) {
    ADD_FAILURE() << (made ? made->body : made.error().message());
    return {};
  }
  return json::parse(made->body).at("ticket");
}

HeldRequest poll(const LocalCluster& cluster, std::size_t master, const std::string& ticket) {
  return HeldRequest::look(cluster.http(master), "/v1/tickets/" + ticket, "Prefer: wait=20\r\n");
}

json page_of(const client_sim::HttpReply& reply) {
  EXPECT_EQ(reply.status, 200U) << reply.body;
  return json::parse(reply.body, nullptr, false);
}

json seat_of(HeldRequest& polled) {
  const json page = page_of(polled.answer());
  EXPECT_EQ(page.value("state", ""), "ready") << page;
  return page.value("seat", json::object());
}

// Where the player goes on after its connection has broken.
enum class GoesOn : std::uint8_t { at_the_same_master, at_another_master, after_the_masters_death };

class BrokenConnection : public testing::TestWithParam<GoesOn> {};

// The limit of a duel widens at 10 s, for the older of the two players. The other player comes at
// 5 s: if the first one lost its age, they would meet at 15 s.
TEST_P(BrokenConnection, does_not_cost_a_player_its_age) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 0},
                       with_rules(10'000)};
  cluster.start();
  const auto began = Clock::now();
  const std::string ticket = make_ticket(cluster, 0, duellist("ann", 1000));
  HeldRequest broken = poll(cluster, 0, ticket);
  std::this_thread::sleep_until(began + 5s);
  HeldRequest other{cluster.http(2), duellist("bob", 1300)};
  std::this_thread::sleep_until(began + 6s);
  if (GetParam() == GoesOn::after_the_masters_death) cluster.master(0).kill();
  broken.hang_up();
  HeldRequest polled = poll(cluster, GetParam() == GoesOn::at_the_same_master ? 0 : 1, ticket);
  const json seat = seat_of(polled);
  const auto waited = Clock::now() - began;
  EXPECT_GE(waited, 10s);
  EXPECT_LE(waited, 11'500ms);
  EXPECT_EQ(seat.value("room_id", ""), json::parse(other.answer().body).value("room_id", "?"));
  EXPECT_EQ(cluster.rooms_started(1), 1U);
  expect_clean_stop(cluster);
}

INSTANTIATE_TEST_SUITE_P(Ticket, BrokenConnection,
                         testing::Values(GoesOn::at_the_same_master, GoesOn::at_another_master,
                                         GoesOn::after_the_masters_death),
                         [](const auto& about) {
                           switch (about.param) {
                             case GoesOn::at_the_same_master: return "AtTheSameMaster";
                             case GoesOn::at_another_master: return "AtAnotherMaster";
                             case GoesOn::after_the_masters_death: return "AfterTheMastersDeath";
                           }
                           return "";
                         });

TEST(Ticket, that_nobody_polls_gets_no_seat_until_it_is_polled_again) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 2, .boot_ms = 0},
                       with_rules(50'000, 1'000)};
  cluster.start();
  const std::string ticket = make_ticket(cluster, 0, duellist("ann", 1000));
  std::this_thread::sleep_for(1'500ms);
  auto impatient = json::parse(duellist("bob", 1000));
  impatient["wait_ms"] = 1'000;
  const auto alone = support::post(cluster.http(1), "/v1/match", impatient.dump());
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->status, 504U) << "a player that is gone was given a seat: " << alone->body;
  HeldRequest polled = poll(cluster, 1, ticket);
  HeldRequest other{cluster.http(0), duellist("bob", 1000)};
  EXPECT_EQ(seat_of(polled).value("room_id", ""),
            json::parse(other.answer().body).value("room_id", "?"));
  expect_clean_stop(cluster);
}

TEST(Ticket, that_two_masters_hold_gets_one_seat) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 200},
                       with_rules(50'000)};
  cluster.start();
  const std::string ticket = make_ticket(cluster, 0, duellist("ann", 1000));
  HeldRequest first = poll(cluster, 0, ticket);
  HeldRequest second = poll(cluster, 1, ticket);
  std::this_thread::sleep_for(300ms);
  HeldRequest other{cluster.http(2), duellist("bob", 1000)};
  const json seat = seat_of(first);
  EXPECT_EQ(seat_of(second).value("room_id", ""), seat.value("room_id", "?"));
  EXPECT_EQ(json::parse(other.answer().body).value("room_id", ""), seat.value("room_id", "?"));
  EXPECT_EQ(cluster.rooms_started(2), 1U);
  expect_clean_stop(cluster);
}

TEST(Ticket, that_is_cancelled_gives_its_seat_back) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0}};
  cluster.start();
  const std::string ticket = make_ticket(cluster, 0, support::match_body("ann", "eu"));
  HeldRequest polled = poll(cluster, 0, ticket);
  const std::string room = seat_of(polled).value("room_id", "");
  const auto taken = [&] {
    const json rooms = support::get_json(cluster.admin(1), "/v1/rooms");
    return rooms.at("rooms").at(0).at("reserved").get<int>();
  };
  support::wait_until("the seat is reserved", [&] { return taken() == 1; });
  const auto removed = support::remove(cluster.http(0), "/v1/tickets/" + ticket);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->status, 204U) << removed->body;
  support::wait_until("the seat is free", [&] { return taken() == 0; });
  const auto again = support::remove(cluster.http(1), "/v1/tickets/" + ticket);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, 204U) << again->body;
  expect_clean_stop(cluster);
}

TEST(Ticket, is_shown_by_a_match_request_that_goes_on_with_its_age) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 2, .boot_ms = 0},
                       with_rules(2'500)};
  cluster.start();
  const auto began = Clock::now();
  const std::string ticket = make_ticket(cluster, 0, duellist("ann", 1000));
  std::this_thread::sleep_until(began + 1'500ms);
  HeldRequest other{cluster.http(0), duellist("bob", 1300)};
  HeldRequest shown{cluster.http(1), json{{"ticket", ticket}}.dump()};
  const auto reply = shown.answer();
  EXPECT_EQ(reply.status, 200U) << reply.body;
  EXPECT_GE(Clock::now() - began, 2'500ms);
  EXPECT_LE(Clock::now() - began, 3'500ms);
  EXPECT_EQ(json::parse(reply.body).value("room_id", ""),
            json::parse(other.answer().body).value("room_id", "?"));
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
