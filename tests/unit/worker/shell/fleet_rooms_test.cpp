// Rooms on servers of a fleet, below a whole worker.
#include <gtest/gtest.h>

#include <fstream>

#include "common/net/kubernetes/api_client.hpp"
#include "tests/fleets/agones_stand_in.hpp"
#include "tests/unit/worker/shell/cluster.hpp"
#include "worker/runner/agones/fleet_texts.hpp"
#include "worker/runner/object_name.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::uint32_t servers = 3;

struct WorkerOfAFleet : testing::Test {
  void take_from_fleet(Settings& settings) const {
    std::ofstream{folder.string() + "/cluster.json"} << agones.kubeconfig();
    settings.runner = "agones";
    settings.kubernetes.kubeconfig = folder.string() + "/cluster.json";
    GameDescription& game = settings.games.front();
    game.launch.fleets = {"duel"};
    game.launch.game.environment = {"SCRIPT=printenv FIXKEEP_SEAT_KEY > $OUT/key; exec sleep 600",
                                    "OUT=" + folder.string()};
    game.probes = {.said_ready = true};
    game.seats = settings.core.modes.front().seats = SeatRule::counted;
    settings.core.modes.front().boot_timeout = seconds{60};
  }
  // Nothing if no server has the room's name, or it is on its way out.
  [[nodiscard]] std::optional<agones::FleetServer> server_of(RoomNumber room) const {
    const auto object = object_name("test", {WorkerId{"w1"}, Incarnation{77}, room});
    const auto answer = kubernetes::ask_and_wait(
        agones.access(),
        {.target = agones::servers_in("games").collection() +
                   kubernetes::query({{"labelSelector", agones::selector_of_room(object)}})},
        seconds{60});
    const auto list = kubernetes::Json::parse(answer.body);
    for (const auto& each : list.at("items")) {
      auto server = agones::read_server(each);
      if (server && !server->deleted) return server;
    }
    return std::nullopt;
  }
  void merge(RoomNumber room, const std::string& status) const {
    const auto answer =
        kubernetes::ask_and_wait(agones.access(),
                                 {.method = "PATCH",
                                  .target = agones::servers_in("games").item(server_of(room)->name),
                                  .body = R"({"status":)" + status + "}",
                                  .content_type = "application/merge-patch+json"},
                                 seconds{60});
    ASSERT_EQ(answer.status, 200U) << answer.body;
  }

  const test::TemporaryFolder folder;
  const test::AgonesStandIn agones{{.api = {}, .replicas = servers}};
};

// At once, which would be a failed boot of a game that crashes.
TEST_F(WorkerOfAFleet, takes_a_game_that_goes_back_to_ready_for_one_that_is_done) {
  Cluster cluster{
      {}, seconds{3}, {}, {}, [this](Settings& settings) { take_from_fleet(settings); }};
  for (int i = 0; i < 2; ++i) {
    const RoomNumber room = cluster.open_room({"ann"});
    merge(room, R"({"state":"Ready"})");
    cluster.run_until([&] { return cluster.rooms[room].reason != wire::CloseReason::none; });
    ASSERT_EQ(cluster.rooms[room].reason, wire::CloseReason::shut_down);
    ASSERT_TRUE(cluster.paused.empty()) << cluster.paused.at(0).reason;
  }
}

TEST_F(WorkerOfAFleet, tells_a_game_its_seat_key_counts_its_players_and_ends_with_it) {
  RoomNumber room;
  {
    Cluster cluster{
        {}, seconds{3}, {}, {}, [this](Settings& settings) { take_from_fleet(settings); }};
    room = cluster.open_room({"ann"});
    cluster.run_until([&] { return cluster.headroom == servers; });
    const auto server = server_of(room);
    ASSERT_TRUE(server);
    EXPECT_EQ(cluster.rooms[room].port, server->place.port());
    std::string key;
    cluster.run_until([&] { return std::getline(std::ifstream{folder / "key"}, key).good(); });
    EXPECT_EQ(key, auth::to_text(auth::derive_room_key(seat_root, cluster.id_of(room))));
    merge(room, R"({"lists":{"players":{"capacity":8,"values":["ann"]}}})");
    cluster.run_until([&] { return cluster.rooms[room].occupied == 1; });
    merge(room, R"({"state":"Shutdown"})");
    cluster.run_until([&] { return cluster.rooms[room].reason == wire::CloseReason::shut_down; });
    room = cluster.open_room({"bea"});
    EXPECT_TRUE(server_of(room));
  }
  EXPECT_FALSE(server_of(room)) << "it was released with its worker";
}

}  // namespace
}  // namespace fixkeep::worker
