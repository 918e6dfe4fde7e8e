#include "worker/shell/server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/base/random.hpp"
#include "common/obs/log.hpp"
#include "tests/support/beside.hpp"
#include "tests/unit/worker/shell/cluster.hpp"

namespace fixkeep::worker {
namespace {

const std::vector<std::string> demo_game{support::beside("fixkeep-demo-game"), "--port", "{port}",
                                         "--address", "127.0.0.1"};

std::vector<std::string> demo_game_with(const std::vector<std::string>& more) {
  auto command = demo_game;
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(WorkerServer, a_player_with_a_seat_and_its_token_gets_in_and_its_seat_is_free_after) {
  Cluster cluster{demo_game};
  const RoomNumber room = cluster.open_room({"ann"});
  const auto port = cluster.rooms[room].port;
  auto player = cluster.meanwhile([&] { return std::make_unique<Player>(port); });
  EXPECT_EQ(cluster.meanwhile([&] { return player->join(cluster.token(room, "ann")); }),
            "WELCOME ann " + to_string(cluster.id_of(room)));
  cluster.run_until([&] { return cluster.rooms[room].occupied == 1; });
  const auto ping = [&] {
    player->say("nonsense\nPING\n");
    return player->hear();
  };
  EXPECT_EQ(cluster.meanwhile(ping), "PONG");
  player.reset();
  cluster.run_until([&] { return cluster.rooms[room].occupied == 0; });
  EXPECT_EQ(cluster.meanwhile([&] { return Player{port}.join(cluster.token(room, "ann")); }),
            "REFUSED no_seat");
}

TEST(WorkerServer, a_token_that_is_not_good_lets_nobody_in) {
  Cluster cluster{demo_game};
  const RoomNumber room = cluster.open_room({"ann"});
  const RoomNumber other = cluster.open_room({"ann"});
  const auto port = cluster.rooms[room].port;
  const auto join = [&](const std::string& token) {
    return cluster.meanwhile([&] { return Player{port}.join(token); });
  };
  EXPECT_EQ(join(cluster.token(room, "ann", milliseconds{-1})), "REFUSED token_expired");
  EXPECT_EQ(join(cluster.token(room, "ann", seconds{60}, SeatRoot{4})), "REFUSED token_forged");
  EXPECT_EQ(join(cluster.token(other, "ann")), "REFUSED token_forged");
  EXPECT_EQ(join(cluster.token(room, "bob")), "REFUSED no_seat");
  EXPECT_EQ(join("nonsense"), "REFUSED malformed");
  EXPECT_EQ(cluster.meanwhile([&] {
    Player player{port};
    player.say("HELLO\n");
    return player.hear();
  }),
            "REFUSED malformed");
  EXPECT_EQ(cluster.rooms[room].occupied, 0U);
  EXPECT_EQ(join(cluster.token(room, "ann")).substr(0, 7), "WELCOME");
}

TEST(WorkerServer, a_game_is_told_nothing_of_players_that_its_description_does_not_allow) {
  const test::TemporaryFolder folder;
  const std::string told = folder / "told";
  std::vector<std::string> command{
      "/bin/sh", "-c", R"(printf '%s\n' "$2" >> "$1"; shift 2; exec "$@")",
      "sh",      told, "{group:map}"};
  command.insert(command.end(), demo_game.begin(), demo_game.end());
  Cluster cluster{std::move(command), seconds{15}, {}, {{"map", AttributeRule::listing({"dust"})}}};
  const std::vector<std::string> bad{"-x", "a%0A--admin", "dust2", "..", "%22%3Bquit"};
  for (std::size_t i = 0; i < bad.size(); ++i) cluster.order(i + 1, {"ann"}, "duel/map=" + bad[i]);
  cluster.order(9, {"ann"}, "duel/map=dust");
  cluster.run_until([&] { return cluster.rooms[RoomNumber{1}].phase == wire::RoomPhase::open; });
  std::vector<wire::SpawnOutcome> expected(bad.size(), wire::SpawnOutcome::mode_paused);
  expected.push_back(wire::SpawnOutcome::accepted);
  EXPECT_EQ(cluster.outcomes, expected);
  EXPECT_TRUE(cluster.paused.empty());
  std::ifstream file{told};
  const std::string all{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(all, "dust\n");
}

TEST(WorkerServer, a_player_who_joins_twice_replaces_the_older_connection_and_keeps_the_seat) {
  Cluster cluster{demo_game};
  const RoomNumber room = cluster.open_room({"ann"});
  const auto port = cluster.rooms[room].port;
  const auto token = cluster.token(room, "ann");
  cluster.meanwhile([&] {
    Player first{port};
    EXPECT_EQ(first.join(token).substr(0, 7), "WELCOME");
    Player second{port};
    EXPECT_EQ(second.join(token).substr(0, 7), "WELCOME");
    EXPECT_EQ(first.hear(), "(End of file)");
    second.say("PING\n");
    EXPECT_EQ(second.hear(), "PONG");
    return 0;
  });
  cluster.run_until([&] { return cluster.rooms[room].occupied == 0; });
}

TEST(WorkerServer, a_megabyte_of_noise_is_refused_and_the_game_goes_on) {
  Cluster cluster{demo_game};
  const RoomNumber room = cluster.open_room({"ann"});
  const auto port = cluster.rooms[room].port;
  cluster.meanwhile([&] {
    Random random{7};
    std::string noise(1U << 20U, '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    try {
      Player{port}.say(noise);
    } catch (const boost::system::system_error&) {  // the game need not read all of it
    }
    EXPECT_EQ(Player{port}.join(cluster.token(room, "ann")).substr(0, 7), "WELCOME");
    return 0;
  });
}

TEST(WorkerServer, a_seat_that_is_not_claimed_in_time_lets_nobody_in) {
  Cluster cluster{demo_game, milliseconds{50}};
  const RoomNumber room = cluster.open_room({"ann"});
  const auto port = cluster.rooms[room].port;
  // The worker may be late, and hears out first those players who have come in time.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  cluster.run_until([&] { return std::chrono::steady_clock::now() > until; });
  EXPECT_EQ(cluster.meanwhile([&] { return Player{port}.join(cluster.token(room, "ann")); }),
            "REFUSED no_seat");
}

TEST(WorkerServer, a_game_that_fails_to_boot_is_told_and_so_is_one_that_crashes) {
  Cluster failing{demo_game_with({"--boot-fail-percent", "100"})};
  failing.order(1, {"ann"});
  auto& failed = failing.rooms[RoomNumber{1}];
  failing.run_until([&] { return failed.phase == wire::RoomPhase::closed; });
  EXPECT_EQ(failed.reason, wire::CloseReason::boot_failed);

  Cluster crashing{demo_game_with({"--crash-after-ms", "50"})};
  auto& crashed = crashing.rooms[crashing.open_room({"ann"})];
  crashing.run_until([&] { return crashed.phase == wire::RoomPhase::closed; });
  EXPECT_EQ(crashed.reason, wire::CloseReason::crashed);
}

// The level of the log once decided whether the game got a pipe that would not block, and so
// whether its writes failed.
TEST(WorkerServer, a_game_that_writes_megabytes_opens_at_every_level_of_the_log) {
  testing::internal::CaptureStderr();
  for (const auto level : {obs::LogLevel::debug, obs::LogLevel::info}) {
    obs::start_log({.level = level});
    const std::string game =
        "head -c 4000000 /dev/zero | tr '\\0' x || exit 9; echo; echo booted; exec ";
    Cluster cluster{
        {"/bin/sh", "-c", game + support::beside("fixkeep-demo-game") + " --port {port}"}};
    const RoomNumber room = cluster.open_room({"ann"});
    const auto file = cluster.folder / "state/output" / (to_string(cluster.id_of(room)) + ".log");
    cluster.run_until([&] { return std::filesystem::exists(file); });
    EXPECT_LE(std::filesystem::file_size(file), 1U << 20U);
    obs::stop_log();
  }
  (void)testing::internal::GetCapturedStderr();
}

TEST(WorkerServer, a_program_that_is_not_there_or_never_ready_fails_to_boot_and_says_why) {
  const auto close_reason_of = [](const std::vector<std::string>& command, std::string& why) {
    Cluster cluster{command};
    cluster.order(1, {"ann"});
    auto& room = cluster.rooms[RoomNumber{1}];
    cluster.run_until([&] { return room.phase == wire::RoomPhase::closed; });
    if (!cluster.paused.empty()) why = cluster.paused[0].reason;
    return room.reason;
  };
  std::string why;
  EXPECT_EQ(close_reason_of({"no-such-game"}, why), wire::CloseReason::boot_failed);
  EXPECT_TRUE(why.starts_with("cannot execute no-such-game")) << why;
  EXPECT_EQ(close_reason_of({"/bin/sh", "-c", "echo cannot bind; exit 4"}, why),
            wire::CloseReason::boot_failed);
  EXPECT_EQ(why, "exit code 4: cannot bind");
  EXPECT_EQ(close_reason_of(demo_game_with({"--boot-ms", "60000"}), why),
            wire::CloseReason::boot_timeout);
  EXPECT_EQ(why, "boot-timeout: the game has not said that it is ready");
}

TEST(WorkerServer, a_port_that_a_stranger_has_is_skipped) {
  Cluster cluster{demo_game};
  const RoomNumber first = cluster.open_room({"ann"});
  boost::asio::io_context own;
  const auto next = static_cast<std::uint16_t>(cluster.rooms[first].port + 1);
  tcp::acceptor squatter{own, {boost::asio::ip::address_v4::loopback(), next}};
  cluster.order(2, {"ann"});
  auto& room = cluster.rooms[RoomNumber{2}];
  cluster.run_until([&] { return room.phase == wire::RoomPhase::open; });
  EXPECT_EQ(room.port, next + 1);
}

TEST(WorkerServer, a_room_for_which_no_port_is_free_fails_and_its_game_is_not_to_blame) {
  Cluster cluster{demo_game};
  boost::asio::io_context own;
  std::vector<tcp::acceptor> squatters;
  for (std::uint16_t i = 0; i < Cluster::ports; ++i) {
    const auto port = static_cast<std::uint16_t>(Cluster::first_port() + i);
    squatters.emplace_back(own, tcp::endpoint{boost::asio::ip::address_v4::loopback(), port});
  }
  cluster.order(1, {"ann"});
  auto& room = cluster.rooms[RoomNumber{1}];
  cluster.run_until(
      [&] { return room.reason == wire::CloseReason::boot_failed && cluster.headroom == 0; });
  ASSERT_EQ(cluster.paused.size(), 1U);
  EXPECT_EQ(cluster.paused[0].cause, wire::PauseCause::slow) << "not paused";
  EXPECT_EQ(cluster.paused[0].reason, "no port is free for it, since other programs have " +
                                          std::to_string(Cluster::ports) + " of rooms.ports");
  cluster.order(2, {"ann"});
  cluster.run_until([&] { return cluster.outcomes.size() == 2; });
  EXPECT_EQ(cluster.outcomes[1], wire::SpawnOutcome::no_capacity) << "not paused";
}

// A room in which ann plays, of a worker that lets rooms come to their end when it is asked to end.
struct DrainedWorker : testing::Test {
  DrainedWorker() {
    player =
        cluster.meanwhile([this] { return std::make_unique<Player>(cluster.rooms[room].port); });
    EXPECT_EQ(cluster.meanwhile([this] { return player->join(cluster.token(room, "ann")); }),
              "WELCOME ann " + to_string(cluster.id_of(room)));
    cluster.run_until([this] { return cluster.rooms[room].occupied == 1; });
    cluster.worker->stop([this] { ended = true; });
    cluster.run_until([this] { return phase() == wire::RoomPhase::draining; });
  }
  wire::RoomPhase phase() { return cluster.rooms[room].phase; }

  // As the master was told, which may be after the worker has ended.
  wire::CloseReason reason() { return cluster.rooms[room].reason; }

  bool ended = false;
  Cluster cluster{demo_game, seconds{15}, std::chrono::hours{1}};
  RoomNumber room = cluster.open_room({"ann"});
  std::unique_ptr<Player> player;
};

TEST_F(DrainedWorker, ends_when_the_last_player_has_left) {
  EXPECT_FALSE(ended);
  player.reset();
  cluster.run_until([this] { return ended && reason() != wire::CloseReason::none; });
  EXPECT_EQ(reason(), wire::CloseReason::drained);
}

TEST_F(DrainedWorker, closes_its_rooms_when_it_is_asked_again) {
  cluster.worker->stop([] { ADD_FAILURE() << "only the first one is told"; });
  cluster.run_until([this] { return ended && reason() != wire::CloseReason::none; });
  EXPECT_EQ(reason(), wire::CloseReason::stopping);
}

TEST(WorkerServer, a_burst_of_rooms_opens_and_stops_together) {
  Cluster cluster{demo_game_with({"--boot-ms", "20"})};
  for (std::uint64_t i = 1; i <= 20; ++i) cluster.order(i, {});
  const auto open = [&] {
    return std::count_if(cluster.rooms.begin(), cluster.rooms.end(), [](const auto& room) {
      return room.second.phase == wire::RoomPhase::open;
    });
  };
  cluster.run_until([&] { return open() == 20; });
}

}  // namespace
}  // namespace fixkeep::worker
