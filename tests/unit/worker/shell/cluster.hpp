// A real worker with real game processes, and a master that is only a link: it says what the test
// tells it to and keeps what it hears.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/auth/seat_token.hpp"
#include "common/net/link/hub.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/shell/player.hpp"
#include "worker/shell/server.hpp"

namespace fixkeep::worker {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline const std::string secret = "a secret for this test only";
inline constexpr SeatRoot seat_root{1, 2, 3};
// Master and worker are one thread here, and so both are silent while games are being started.
inline constexpr milliseconds patience{15'000};
#ifdef FIXKEEP_SANITIZED
inline constexpr seconds boot_timeout{8};
#else
inline constexpr seconds boot_timeout{2};
#endif

class Cluster {
 public:
  explicit Cluster(std::vector<std::string> command, Duration reservation = seconds{15},
                   Duration drain = {}, std::map<std::string, AttributeRule> attributes = {},
                   const std::function<void(Settings& settings)>& change = {}) {
    net::LinkHandlers handlers;
    handlers.on_up = [](const net::Node&) {};
    handlers.on_down = [this](const net::Node&, boost::system::error_code) { link_is_up = false; };
    handlers.on_worker_said = [this](const net::Node&, wire::FromWorker&& message) {
      if (const auto* report = std::get_if<wire::Report>(&message)) hear(*report);
    };
    auto hub = net::LinkHub::start(context,
                                   {.cluster = "test",
                                    .secret = secret,
                                    .self = {net::Role::master, "m1", Incarnation{1}},
                                    .listen_address = "127.0.0.1",
                                    .known_masters = {"m1"},
                                    .heartbeat_timeout = patience},
                                   std::move(handlers));
    EXPECT_TRUE(hub);
    master = std::move(*hub);
    node::StartFailure failure;
    Settings wanted = settings(std::move(command), reservation, drain);
    wanted.games.front().attributes = std::move(attributes);
    if (change) change(wanted);
    worker = Server::start(context, std::move(wanted), failure);
    EXPECT_NE(worker, nullptr) << failure.what;
    run_until([this] { return link_is_up; });
  }

  ~Cluster() {
    bool stopped = false;
    worker->stop([&] { stopped = true; });
    run_until([&] { return stopped; });
    master->stop(milliseconds{10});
    context.restart();
    context.run_for(seconds{1});
  }

  void run_until(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + seconds{20};
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not happen";
      context.restart();
      context.run_one_for(milliseconds{20});
    }
  }

  // The worker runs while `body` does something that waits, on a thread of its own.
  template <class Body>
  auto meanwhile(Body body) {
    auto result = std::async(std::launch::async, std::move(body));
    run_until([&] { return result.wait_for(seconds{0}) == std::future_status::ready; });
    return result.get();
  }

  void order(std::uint64_t counter, const std::vector<std::string>& players,
             const std::string& group = "duel|eu") {
    wire::SpawnRoom spawn{.request = counter,
                          .group = GroupKey{group},
                          .mode = ModeName{"duel"},
                          .creation = {.token = {counter, MasterId{1}}, .index = 0, .orderer = {}},
                          .basis = {},
                          .capacity = 4,
                          .claims = {}};
    for (const auto& name : players) spawn.claims.push_back({PlayerId{name}, {}});
    EXPECT_TRUE(master->send(net::Role::worker, "w1", spawn));
  }
  RoomNumber open_room(const std::vector<std::string>& players) {
    order(++counter_, players);
    const RoomNumber number{static_cast<std::uint32_t>(counter_)};
    run_until([&] { return rooms[number].phase == wire::RoomPhase::open; });
    return number;
  }

  RoomId id_of(RoomNumber number) const { return {WorkerId{"w1"}, Incarnation{77}, number}; }
  std::string token(RoomNumber number, const std::string& player,
                    std::chrono::milliseconds valid = seconds{60},
                    const SeatRoot& root = seat_root) const {
    const auto today = std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    return auth::sign_seat(auth::derive_room_key(root, id_of(number)),
                           {.room = to_string(id_of(number)),
                            .player = PlayerId{player},
                            .expires_at = today + valid});
  }

  struct Known {
    wire::RoomPhase phase = wire::RoomPhase::starting;
    wire::CloseReason reason = wire::CloseReason::none;
    std::uint16_t port = 0;
    std::uint32_t occupied = 0;
  };
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  std::unique_ptr<net::LinkHub> master;
  std::unique_ptr<Server> worker;
  bool link_is_up = false;
  std::map<RoomNumber, Known> rooms;
  std::vector<wire::PausedMode> paused;
  std::vector<wire::SpawnOutcome> outcomes;  // of orders
  std::uint32_t headroom = 0;
  static constexpr std::uint16_t ports = 20;
  // They are below the ephemeral ports, and unlike those of a test that runs beside this one.
  static std::uint16_t first_port() {
    return static_cast<std::uint16_t>(12'000 + (getpid() % 900 * ports));
  }

 private:
  [[nodiscard]] Settings settings_base() const {
    Settings settings;
    settings.core.self = WorkerId{"w1"};
    settings.core.incarnation = Incarnation{77};
    settings.core.zone = ZoneName{"a"};
    settings.core.address = "127.0.0.1";
    settings.first_port = first_port();
    settings.last_port = static_cast<std::uint16_t>(settings.first_port + ports - 1);
    settings.core.modes = {{.name = ModeName{"duel"}, .boot_timeout = boot_timeout}};
    settings.links.cluster = "test";
    settings.links.secret = secret;
    settings.core.seat_root = seat_root;
    settings.links.self = {net::Role::worker, "w1", Incarnation{77}};
    settings.links.known_masters = {"m1"};
    settings.links.heartbeat_timeout = patience;
    settings.outlive_worker = {};
    settings.state_folder = (folder / "state").string();
    return settings;
  }
  Settings settings(std::vector<std::string> command, Duration reservation, Duration drain) const {
    Settings result = settings_base();
    result.drain = drain;
    result.core.reservation = reservation;
    result.masters = {{MasterId{1}, {.host = "127.0.0.1", .port = master->port()}}};
    result.games = {{.mode = ModeName{"duel"}, .probes = {.said_ready = true}}};
    result.games.front().launch.game.command = std::move(command);
    return result;
  }

  void hear(const wire::Report& message) {
    if (std::holds_alternative<wire::WorkerState>(message)) link_is_up = true;
    const auto* reply = std::get_if<wire::SpawnReply>(&message);
    if (reply != nullptr) outcomes.push_back(reply->outcome);
    const auto* news = std::get_if<wire::RoomsChanged>(&message);
    if (news == nullptr) return;
    headroom = news->headroom;
    if (news->modes) paused = news->modes->paused;
    for (const auto& room : news->opened) {
      rooms[room.number].phase = room.phase;
      rooms[room.number].occupied = room.occupied;
      if (room.place) rooms[room.number].port = room.place->port();
    }
    for (const auto& change : news->changed) {
      rooms[change.number].phase = change.phase;
      rooms[change.number].reason = change.reason;
      rooms[change.number].occupied = change.occupied;
    }
  }

  std::uint64_t counter_ = 0;
};

}  // namespace fixkeep::worker
