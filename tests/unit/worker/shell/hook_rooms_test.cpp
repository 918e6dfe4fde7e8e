// Rooms that commands start somewhere, below a whole worker: with the hook that is the example.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/beside.hpp"
#include "tests/unit/worker/shell/cluster.hpp"
#include "worker/runner/object_name.hpp"

namespace fixkeep::worker {
namespace {

struct HookedWorker : testing::Test {
  [[nodiscard]] std::string hook(const std::string& words) const {
    return "HOOK_FOLDER=" + folder.string() + " " + script + " " + words;
  }
  [[nodiscard]] std::string object(RoomNumber room) const {
    return object_name("test", {WorkerId{"w1"}, Incarnation{77}, room});
  }
  [[nodiscard]] bool is_listed(RoomNumber room) const {
    return std::system(hook("list | grep -qx " + object(room)).c_str()) == 0;
  }
  [[nodiscard]] std::uint16_t port_of(RoomNumber room) const {
    for (const auto& each : std::filesystem::directory_iterator{folder / "ports"}) {
      const bool its = std::filesystem::read_symlink(each) == object(room);
      if (its) return static_cast<std::uint16_t>(std::stoi(each.path().filename().string()));
    }
    return 0;
  }
  void run_by_hook(Settings& settings, const std::string& host) const {
    settings.runner = "hook";
    GameDescription& game = settings.games.front();
    game.launch.stop_command = {script, "stop"};
    game.launch.list_command = {script, "list"};
    game.launch.command_limit = seconds{60};
    game.launch.game.environment = {"HOOK_FOLDER=" + folder.string(), "HOOK_HOST=" + host,
                                    "HOOK_FIRST_PORT=" + std::to_string(settings.first_port + 10)};
    game.probes = {.readiness = {{.target = probe::TcpProbe{.port = "game"}}}};
    settings.core.modes.front().boot_timeout = seconds{60};
  }

  const std::string script = (std::filesystem::current_path() / "configs/hooks/local.sh").string();
  const std::vector<std::string> start{
      script, "start", "/bin/sh", "-c",
      "exec " + support::beside("fixkeep-demo-game") + " --port $FIXKEEP_PORT --address 127.0.0.1"};
  const test::TemporaryFolder folder;
};

TEST_F(HookedWorker, asks_a_room_where_its_hook_says_that_it_is_and_admits_its_players) {
  RoomNumber room;
  {
    Cluster cluster{start, seconds{15}, {}, {}, [this](Settings& settings) {
                      run_by_hook(settings, "127.0.0.1");
                    }};
    room = cluster.open_room({"ann"});
    EXPECT_TRUE(is_listed(room));
    std::ifstream file{cluster.folder / ("state/hook/" + object(room)), std::ios::binary};
    const std::string record{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_NE(record.find("FIXKEEP_ROOM_ID="), std::string::npos);
    EXPECT_EQ(record.find("FIXKEEP_SEAT_KEY="), std::string::npos) << "no command needs it";
    const auto port = port_of(room);
    EXPECT_EQ(cluster.meanwhile([&] { return Player{port}.join(cluster.token(room, "ann")); }),
              "WELCOME ann " + to_string(cluster.id_of(room)));
  }
  EXPECT_FALSE(is_listed(room)) << "it ended with its worker";
}

TEST_F(HookedWorker, asks_localhost_on_the_loopback_whatever_the_machine_knows_of_names) {
  Cluster cluster{start, seconds{15}, {}, {}, [this](Settings& settings) {
                    run_by_hook(settings, "localhost");
                  }};
  const RoomNumber room = cluster.open_room({"ann"});
  EXPECT_TRUE(is_listed(room));
}

TEST_F(HookedWorker, closes_a_room_that_ended_somewhere) {
  Cluster cluster{start, seconds{15}, {}, {}, [this](Settings& settings) {
                    run_by_hook(settings, "127.0.0.1");
                  }};
  const RoomNumber room = cluster.open_room({"ann"});
  ASSERT_EQ(std::system(hook("stop " + object(room)).c_str()), 0);
  cluster.run_until([&] { return cluster.rooms[room].reason == wire::CloseReason::crashed; });
}

// Else each claim would order one room after the other.
TEST_F(HookedWorker, pauses_a_mode_whose_start_fails) {
  Cluster cluster{{"/bin/false"}, seconds{15}, {}, {}, [this](Settings& settings) {
                    run_by_hook(settings, "127.0.0.1");
                  }};
  cluster.order(1, {"ann"});
  cluster.run_until([&] { return !cluster.paused.empty(); });
  EXPECT_EQ(cluster.rooms[RoomNumber{1}].reason, wire::CloseReason::boot_failed);
}

}  // namespace
}  // namespace fixkeep::worker
