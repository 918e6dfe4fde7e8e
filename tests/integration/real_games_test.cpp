// Game servers of Debian, unmodified, the whole way: a match, a boot, readiness by probe, a
// client's packets on the port that the player was told, seats, and an end that leaves nothing
// behind.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/process/proc.hpp"
#include "common/process/self.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;
using boost::asio::ip::udp;
using nlohmann::json;
using support::LocalCluster;
using support::Part;

// A folder that another user may pass through.
struct StateFolder : test::TemporaryFolder {
  StateFolder() { ::chmod(path().c_str(), 0711); }
};

// One master and one worker that runs the game of configs/games/NAME.json in rooms of two seats.
class Played {
 public:
  explicit Played(const std::string& game)
      : game_(game),
        cluster_({.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0, .reservation_ms = 1000},
                 [this](json& config, Part part, std::size_t) { change(config, part); }) {
    cluster_.start();
  }

  // The port that the player was told; 0: there is no seat.
  std::uint16_t match(const std::string& player, int wait_ms = 20'000) {
    const auto reply =
        support::post(cluster_.http(0), "/v1/match",
                      json{{"player_id", player}, {"mode", game_}, {"wait_ms", wait_ms}}.dump());
    if (!reply || reply->status != 200) {
      refusal = reply ? reply->body : "no answer";
      return 0;
    }
    return json::parse(reply->body).at("port").get<std::uint16_t>();
  }
  // Seats that the master believes taken, of all rooms.
  std::size_t seats_taken() {
    std::size_t taken = 0;
    for (const auto& room : cluster_.rooms(0)) {
      taken += room.at("reserved").get<std::size_t>() + occupied_of(room);
    }
    return taken;
  }
  // None while it is unknown.
  static std::size_t occupied_of(const json& room) {
    const json& occupied = room.at("occupied");
    return occupied.is_null() ? 0 : occupied.get<std::size_t>();
  }
  std::size_t seats_occupied() {
    std::size_t occupied = 0;
    for (const auto& room : cluster_.rooms(0)) occupied += occupied_of(room);
    return occupied;
  }
  std::size_t rooms() { return cluster_.rooms(0).size(); }
  std::vector<pid_t> games() { return process::descendants_of(cluster_.worker(0).pid()); }
  std::string log() { return cluster_.worker(0).log(); }

  // Ends the cluster: of the games nothing is left, neither a process nor a file.
  void leaves_nothing() {
    const auto games_before = games();
    expect_clean_stop(cluster_);
    for (const pid_t game : games_before) EXPECT_FALSE(process::alive(game));
    EXPECT_TRUE(fs::is_empty(state_ / "rooms"));
  }

  std::string refusal;

 private:
  void change(json& config, Part part) const {
    if (part == Part::master) {
      config["modes"] = json::array({{{"name", game_}, {"capacity", 2}}});
    } else {
      config["games"] = json::array();
      config["game_files"] = {(fs::current_path() / "configs/games" / (game_ + ".json")).string()};
      config["worker"]["state_folder"] = state_.string();
    }
  }

  StateFolder state_;
  std::string game_;
  LocalCluster cluster_;
};

TEST(RealGames, teeworlds_is_matched_counted_and_ended) {
  Played played{"teeworlds"};
  const auto port = played.match("anna");
  ASSERT_NE(port, 0) << played.refusal << played.log();
  // What a client says first: it asks for a token, and gets one.
  boost::asio::io_context context;
  udp::socket client{context, {udp::v4(), 0}};
  std::string hello{
      "\x04\x00\x00\xff\xff\xff\xff\x05"
      "anna",
      12};
  hello.resize(519);
  const udp::endpoint room{boost::asio::ip::address_v4::loopback(), port};
  client.send_to(boost::asio::buffer(hello), room);
  std::array<char, 64> answer{};
  client.non_blocking(true);
  support::wait_until("the game answers", [&] {
    boost::system::error_code error;
    const auto bytes = client.receive(boost::asio::buffer(answer), 0, error);
    if (error) client.send_to(boost::asio::buffer(hello), room);
    return !error && bytes >= 12;
  });
  EXPECT_EQ(std::string(answer.data() + 3, 4), "anna");
  // She has only asked: nobody plays, so her seat is free again when her time is over.
  support::wait_until("nobody is counted", [&] { return played.seats_taken() == 0; });
  EXPECT_EQ(played.match("bert"), port) << "the same room";
  played.leaves_nothing();
}

TEST(RealGames, freeciv_is_matched_runs_as_another_user_and_keeps_its_seats) {
  Played played{"freeciv"};
  const auto port = played.match("anna");
  if (::geteuid() != 0) {
    EXPECT_THAT(played.log(), testing::HasSubstr("only root can run a game as another user"));
    return played.leaves_nothing();
  }
  if (!process::sees_processes_of_others()) {
    EXPECT_EQ(port, 0) << "nobody can say whose the port is";
    EXPECT_THAT(played.log(), testing::HasSubstr("CAP_SYS_PTRACE"));
    return;
  }
  ASSERT_NE(port, 0) << played.refusal << played.log();
  boost::asio::io_context context;
  tcp::socket client{context};
  client.connect({boost::asio::ip::address_v4::loopback(), port});
  ASSERT_EQ(played.match("bert"), port);
  // Nothing says that they have gone, so their seats stay taken, and the next player gets another
  // room.
  support::wait_until("their time to come is over", [&] { return played.seats_occupied() == 2; });
  const auto next = played.match("carl");
  EXPECT_NE(next, 0) << played.refusal;
  EXPECT_NE(next, port) << "a full game is never handed out";
  EXPECT_EQ(played.rooms(), 2U);
  played.leaves_nothing();
}

}  // namespace
}  // namespace fixkeep::integration
