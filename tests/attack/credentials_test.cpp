#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/auth/seat_token.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::LocalCluster;
using support::Part;

auth::WallTime wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

client_sim::MatchAnswer take_seat(const LocalCluster& cluster, const std::string& player,
                                  const std::string& region) {
  const auto reply = support::ask_for_seat(cluster.http(0), player, region);
  if (!reply || reply->status != 200) throw std::runtime_error{"no seat for " + player};
  return *client_sim::parse_match_answer(reply->body);
}

// --- who may be part of the cluster --------------------------------------------------------------

// The second worker has `changed` in its file; it is started when the cluster runs.
void expect_stranger_is_refused(const std::string& key, const std::string& value,
                                const std::string& reason) {
  LocalCluster cluster{{.masters = 1, .workers = 2, .boot_ms = 0}};
  cluster.master(0).start(cluster.config(Part::master, 0));
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  cluster.wait_until_ready();
  auto config = cluster.config(Part::worker, 1);
  config["cluster"][key] = value;
  cluster.worker(1).start(config);
  support::wait_until("the master says why the stranger is refused", [&] {
    return contains(cluster.master(0).log(), "link refused") &&
           contains(cluster.master(0).log(), reason);
  });
  support::wait_until("the stranger says why it is refused", [&] {
    return contains(cluster.worker(1).log(), "link refused") &&
           contains(cluster.worker(1).log(), reason);
  });
  const auto workers = cluster.workers(0);
  ASSERT_EQ(workers.size(), 1U);
  EXPECT_EQ(workers.front().at("worker"), "w1");
  EXPECT_FALSE(contains(cluster.worker(1).log(), "link up"));
  EXPECT_EQ(support::join(take_seat(cluster, "anna", "eu")), "WELCOME");
  expect_clean_stop(cluster);
}

TEST(Stranger, with_another_secret_is_refused_and_both_sides_say_why) {
  expect_stranger_is_refused("secret", "not the secret of this cluster",
                             make_error_code(Errc::wrong_secret).message());
}

TEST(Stranger, of_another_cluster_is_refused_and_both_sides_say_why) {
  expect_stranger_is_refused("id", "another", make_error_code(Errc::wrong_cluster).message());
}

// --- who may enter a room ------------------------------------------------------------------------

TEST(SeatToken, forged_or_of_another_room_is_refused_and_the_right_one_still_works) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0}};
  cluster.start();
  const auto seat = take_seat(cluster, "anna", "eu");
  const auto elsewhere = take_seat(cluster, "berta", "us");
  ASSERT_NE(seat.room_id, elsewhere.room_id);
  const auto with = [&](const std::string& token) {
    auto copy = seat;
    copy.seat_token = token;
    return support::join(copy);
  };

  EXPECT_EQ(with("nonsense"), "room: REFUSED malformed");
  EXPECT_EQ(with(""), "room: REFUSED malformed");
  auth::Key guessed{};
  guessed.fill(0x5A);
  const auth::SeatClaims claims{seat.room_id, PlayerId{"anna"}, wall_now() + 1h};
  EXPECT_EQ(with(auth::sign_seat(guessed, claims)), "room: REFUSED token_forged");
  EXPECT_EQ(with(elsewhere.seat_token), "room: REFUSED token_forged");
  auto altered = seat.seat_token;
  altered.front() = altered.front() == 'A' ? 'B' : 'A';
  EXPECT_EQ(with(altered), "room: REFUSED token_forged");

  EXPECT_EQ(with(seat.seat_token), "WELCOME");
  EXPECT_EQ(support::join(elsewhere), "WELCOME");
  expect_clean_stop(cluster);
}

TEST(SeatToken, expired_is_refused_and_the_seat_is_free_again) {
  LocalCluster cluster{{.masters = 1,
                        .workers = 1,
                        .capacity = 1,
                        .boot_ms = 0,
                        .reservation_ms = 1500,
                        .close_empty_after_ms = 600'000}};
  cluster.start();
  const auto reply = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(reply && reply->status == 200);
  const auto seat = *client_sim::parse_match_answer(reply->body);
  support::wait_until("the reservation has lapsed", [&] {
    const auto rooms = cluster.rooms(0);
    return rooms.size() == 1 && rooms.front().at("reserved") == 0;
  });
  // The token's expiry is on another clock than the reservation's.
  support::wait_until("the token has expired",
                      [&] { return support::join(seat) == "room: REFUSED token_expired"; });
  // On a busy machine this seat may lapse as well before the player is there.
  support::wait_until("another player has the seat", [&] {
    const auto other = take_seat(cluster, "bert", "eu");
    EXPECT_EQ(other.room_id, seat.room_id);
    return support::join(other) == "WELCOME";
  });
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  expect_clean_stop(cluster);
}

TEST(SeatToken, without_a_reservation_is_refused_by_the_worker) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0}};
  cluster.start();
  auto seat = take_seat(cluster, "anna", "eu");
  std::string token = seat.seat_token;
  const auto key =
      auth::parse_key(process::environment_of(cluster.games(0).at(0), "FIXKEEP_SEAT_KEY"));
  ASSERT_TRUE(key);
  seat.seat_token = auth::sign_seat(*key, {seat.room_id, PlayerId{"nobody"}, wall_now() + 1h});
  EXPECT_EQ(support::join(seat), "room: REFUSED no_seat");
  seat.seat_token = token;
  EXPECT_EQ(support::join(seat), "WELCOME");
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
