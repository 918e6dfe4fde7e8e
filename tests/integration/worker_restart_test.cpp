// A worker that is killed and started again finds its games as they were: no room is started anew,
// no player notices, and what was given away stays given away.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;
using nlohmann::json;
using std::chrono::milliseconds;
using support::LocalCluster;
using support::Part;
using support::Players;

constexpr std::size_t many = 50;

enum class Kind : std::uint8_t { sdk, plain, talking };

// One worker with many rooms of two seats, one player in each, that outlive it.
struct Restart {
  explicit Restart(Kind kind, std::size_t rooms = many)
      : rooms_wanted(rooms),
        cluster({.masters = 3, .workers = 1, .capacity = 2, .boot_ms = 0},
                [kind](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::worker) outlive(config, kind);
                }) {
    cluster.start();
    players.add_burst(rooms, rooms);
  }

  static void outlive(json& config, Kind kind) {
    config["rooms"]["outlive_worker_ms"] = 60'000;
    if (kind == Kind::sdk) return;
    // The game knows no SDK, and does not tell its players.
    json& game = config["games"][0];
    if (kind == Kind::talking) {
      game["command"] = {"/bin/sh", "-c", "while :; do echo tick; sleep 0.1; done"};
      game["probes"] = {{"ticks", {{"by", "line"}, {"contains", "tick"}, {"interval_ms", 300}}}};
      game["ready"] = {"ticks"};
      game["alive"] = {"ticks"};
      game["players"] = "until-exit";
      return;
    }
    game["probes"] = {{"accepts", {{"by", "tcp"}, {"interval_ms", 1000}}}};
    game["ready"] = {"accepts"};
    game["alive"] = {"accepts"};
    game["players"] = "until-exit";
  }

  std::map<std::string, json> rooms() {
    std::map<std::string, json> all;
    for (const json& room : cluster.rooms(0)) all[room.at("room_id")] = room;
    return all;
  }
  [[nodiscard]] std::vector<pid_t> games() const { return cluster.games(0); }
  [[nodiscard]] fs::path journal() {
    return cluster.worker(0).config_file().parent_path() / "state-w1" / "journal";
  }
  void start_again() { cluster.worker(0).start(cluster.config(Part::worker, 0)); }

  std::size_t rooms_wanted;
  LocalCluster cluster;
  Players players{{.masters = cluster.masters()}};
};

void kill(Restart& world) {
  world.cluster.worker(0).kill();
  world.start_again();
}

void upgrade(Restart& world) {
  EXPECT_EQ(world.cluster.worker(0).upgrade(milliseconds{10'000}), "exit code 0");
}

// `replace`: one run of the worker with the next.
void goes_on_with_everything(Kind kind, void (*replace)(Restart& world)) {
  Restart world{kind};
  world.players.run_until_decided();
  expect_all_inside(world.players, 2);
  support::wait_until("every master knows every seat", [&] {
    const auto rooms = world.rooms();
    return rooms.size() == many && std::all_of(rooms.begin(), rooms.end(), [](const auto& room) {
             return room.second.at("occupied") == 1;
           });
  });
  const auto before = world.rooms();
  const auto games = world.games();
  // A second player for each room, while no worker is there to say that there is a seat.
  world.players.add_burst(many, many);
  const auto died = std::chrono::steady_clock::now();
  replace(world);
  world.players.run_until("the rooms are there again",
                          [&] { return world.rooms().size() >= many; });
  const auto found = std::chrono::steady_clock::now() - died;
  EXPECT_LT(found, std::chrono::seconds{20}) << "with a machine to itself it is less than one";
  world.players.run_until_decided();
  expect_all_inside(world.players, 2);
  for (const auto& player : world.players.all()) EXPECT_FALSE(player.dropped) << player.id;
  const auto after = world.rooms();
  EXPECT_EQ(after.size(), many);
  for (const auto& [id, room] : before) {
    ASSERT_TRUE(after.contains(id)) << id;
    EXPECT_EQ(after.at(id).at("port"), room.at("port"));
  }
  EXPECT_EQ(world.cluster.rooms_started(0), many) << "by both runs of the worker";
  std::set<pid_t> still;
  for (const pid_t game : games) {
    if (process::alive(game)) still.insert(game);
  }
  EXPECT_EQ(still.size(), games.size());
  world.players.hang_up();
  expect_clean_stop(world.cluster);
  for (const pid_t game : games) EXPECT_FALSE(process::alive(game));
}

TEST(WorkerRestart, finds_fifty_rooms_of_the_sdk_and_their_players) {
  goes_on_with_everything(Kind::sdk, kill);
}
TEST(WorkerRestart, finds_fifty_plain_rooms_and_their_players) {
  goes_on_with_everything(Kind::plain, kill);
}
TEST(WorkerRestart, by_an_upgrade_finds_fifty_rooms_and_their_players) {
  goes_on_with_everything(Kind::sdk, upgrade);
}

TEST(WorkerRestart, that_is_asked_to_leave_its_games_does_so_if_they_can_be_found_again) {
  for (const int outlive_ms : {60'000, 0}) {
    SCOPED_TRACE(outlive_ms);
    LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0},
                         [&](LocalCluster::Config& config, Part part, std::size_t) {
                           if (part != Part::worker) return;
                           config["rooms"]["outlive_worker_ms"] = outlive_ms;
                         }};
    cluster.start();
    ASSERT_EQ(support::ask_for_seat(cluster.http(0), "anna", "eu")->status, 200U);
    const auto games = cluster.games(0);
    ASSERT_EQ(games.size(), 1U);
    cluster.worker(0).signal(SIGUSR2);
    if (outlive_ms == 0) {
      support::wait_until("it says why it goes on", [&] {
        return contains(cluster.worker(0).log(), "goes on: its games would end with it");
      });
      EXPECT_EQ(cluster.games(0), games);
    } else {
      EXPECT_EQ(cluster.worker(0).wait_for_end(milliseconds{10'000}), "exit code 0");
      EXPECT_TRUE(process::alive(games[0]));
      cluster.worker(0).start(cluster.config(Part::worker, 0));
      cluster.wait_until_ready();
      EXPECT_EQ(cluster.rooms(0).size(), 1U);
      EXPECT_EQ(cluster.rooms_started(0), 1U);
    }
    expect_clean_stop(cluster);
  }
}

// A game that speaks to its SDK in the shell, and writes down again and again what that shows.
std::string with_ask(const std::string& game) {
  return R"(
  ask() {
    exec 3<>/dev/tcp/127.0.0.1/$AGONES_SDK_HTTP_PORT || return
    printf '%s %s HTTP/1.1\r\nHost: sdk\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' \
      "$1" "$2" "${#3}" "$3" >&3
    cat <&3
  })" + game;
}

const std::string labelled_game = with_ask(R"(
  ask PUT /metadata/label '{"key": "map", "value": "ice"}'
  ask PATCH /v1beta1/counters/rounds '{"count": "7"}'
  ask POST /ready '{}'
  while :; do
    ask GET /gameserver >new && ask GET /v1beta1/counters/rounds >>new && mv new seen
    sleep 0.05
  done)");

TEST(WorkerRestart, shows_a_game_what_it_has_told_the_sdk_before) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::worker) return;
                         config["rooms"]["outlive_worker_ms"] = 60'000;
                         json& game = config["games"][0];
                         game["command"] = {"/bin/bash", "-c", labelled_game};
                         game["labels"] = {{"example.org/tier", "ranked"}};
                         game["counters"] = {{"rounds", {{"count", 1}, {"capacity", 10}}}};
                         game["players"] = "until-exit";
                       }};
  cluster.start();
  ASSERT_EQ(support::ask_for_seat(cluster.http(0), "anna", "eu")->status, 200U);
  const auto id = cluster.rooms(0)[0].at("room_id").get<std::string>();
  const auto seen =
      cluster.worker(0).config_file().parent_path() / "state-w1/rooms" / id / "game/seen";
  const auto knows_all = [&] {
    std::ifstream file{seen};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return contains(text, R"("example.org/tier":"ranked")") &&
           contains(text, R"("agones.dev/sdk-map":"ice")") && contains(text, R"("count":"7")") &&
           contains(text, R"("state":"Ready")");
  };
  support::wait_until("the game sees what it has said", knows_all);
  cluster.worker(0).kill();
  std::this_thread::sleep_for(milliseconds{100});  // a question under way is answered by nobody
  fs::remove(seen);
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  support::wait_until("the game sees it again", [&] { return fs::exists(seen); });
  EXPECT_TRUE(knows_all());
  expect_clean_stop(cluster);
}

// A game that gives one sign of life, and watches itself again whenever a watch ends.
const std::string watching_game = with_ask(R"(
  ask PUT /metadata/label '{"key": "map", "value": "ice"}'
  ask POST /health '{}'
  ask POST /ready '{}'
  while :; do
    { echo begun; ask GET /watch/gameserver; echo ended; } >>watched
    sleep 0.05
  done)");

// As docs/agones.md has it.
TEST(WorkerRestart, ends_the_watch_of_a_game_which_watches_anew_and_is_held_to_its_health) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::worker) return;
                         config["rooms"]["outlive_worker_ms"] = 60'000;
                         json& game = config["games"][0];
                         game["command"] = {"/bin/bash", "-c", watching_game};
                         game["players"] = "for-a-time";
                       }};
  cluster.start();
  const auto seat = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(seat && seat->status == 200U) << cluster.worker(0).log();
  const auto id = json::parse(seat->body).at("room_id").get<std::string>();
  const auto watched =
      cluster.worker(0).config_file().parent_path() / "state-w1/rooms" / id / "game/watched";
  const auto text = [&] {
    std::ifstream file{watched};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  const auto shown = [&](std::size_t from) {
    const auto begun = text().find("begun", from);
    return begun != std::string::npos && contains(text().substr(begun), R"("state":"Ready")") &&
           contains(text().substr(begun), R"("agones.dev/sdk-map":"ice")");
  };
  support::wait_until("the game sees itself", [&] { return shown(0); });
  EXPECT_FALSE(contains(text(), "ended"));
  EXPECT_EQ(cluster.worker(0).upgrade(milliseconds{10'000}), "exit code 0");
  support::wait_until("the watch has ended", [&] { return contains(text(), "ended"); });
  support::wait_until("the next one shows the same", [&] { return shown(text().rfind("ended")); });
  support::wait_until("the master sees its room", [&] { return cluster.rooms(0).size() == 1; });
  support::wait_until(
      "it is missed that the game is silent",
      [&] { return contains(cluster.worker(0).log(), "unhealthy"); }, std::chrono::seconds{120});
  support::wait_until("its room is gone", [&] { return cluster.rooms(0).empty(); });
  expect_clean_stop(cluster);
}

// Its lines are heard by the next worker too: without them it would be unhealthy within a second.
TEST(WorkerRestart, goes_on_hearing_a_game_whose_lines_say_that_it_is_well) {
  Restart world{Kind::talking, 0};
  const auto reply = support::ask_for_seat(world.cluster.http(0), "anna", "eu");
  ASSERT_TRUE(reply && reply->status == 200);
  world.cluster.worker(0).kill();
  world.start_again();
  world.cluster.wait_until_ready();
  std::this_thread::sleep_for(milliseconds{2500});  // for what must not happen
  EXPECT_EQ(world.rooms().size(), 1U);
  EXPECT_FALSE(contains(world.cluster.worker(0).log(), "unhealthy"));
  expect_clean_stop(world.cluster);
}

// What was answered for and is lost is noticed: the rooms go on with those who are in them, and
// nobody else gets in.
TEST(WorkerRestart, with_a_journal_that_lacks_its_last_record_gives_nothing_away_twice) {
  Restart world{Kind::sdk, 4};
  world.players.run_until_decided();
  expect_all_inside(world.players, 2);
  world.cluster.worker(0).kill();
  fs::resize_file(world.journal(), fs::file_size(world.journal()) - 5);
  world.start_again();
  world.players.add_burst(4, 4);
  world.players.run_until_decided();
  expect_all_inside(world.players, 2);
  std::map<std::string, std::set<std::string>> rooms;
  for (const auto& player : world.players.all()) {
    EXPECT_FALSE(player.dropped) << player.id;
    EXPECT_TRUE(rooms[player.region].insert(player.seat.room_id).second)
        << "nobody knows whether the second seat was given away";
  }
  expect_logged(world.cluster.worker(0), "the journal is not complete");
  world.players.hang_up();
  expect_clean_stop(world.cluster);
}

TEST(WorkerRestart, without_its_journal_ends_what_it_cannot_know_and_starts_anew) {
  Restart world{Kind::sdk, 4};
  world.players.run_until_decided();
  const auto before = world.rooms();
  const auto games = world.games();
  world.cluster.worker(0).kill();
  fs::remove(world.journal());
  world.start_again();
  support::wait_until("the games of the earlier run are gone",
                      [&] { return std::none_of(games.begin(), games.end(), process::alive); });
  world.cluster.wait_until_ready();
  Players later{{.masters = world.cluster.masters()}};
  later.add_burst(4, 4);
  later.run_until_decided();
  expect_all_inside(later, 2);
  for (const auto& player : later.all()) EXPECT_FALSE(before.contains(player.seat.room_id));
  later.hang_up();
  world.players.hang_up();
  expect_clean_stop(world.cluster);
}

TEST(WorkerRestart, of_a_worker_that_was_asked_to_end_finds_nothing) {
  Restart world{Kind::sdk, 4};
  world.players.run_until_decided();
  const auto games = world.games();
  EXPECT_EQ(world.cluster.worker(0).terminate(milliseconds{10'000}), "exit code 0");
  EXPECT_TRUE(std::none_of(games.begin(), games.end(), process::alive));
  world.start_again();
  world.cluster.wait_until_ready();
  EXPECT_TRUE(world.rooms().empty());
  world.players.hang_up();
  expect_clean_stop(world.cluster);
}

}  // namespace
}  // namespace fixkeep::integration
