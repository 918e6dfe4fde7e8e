// Two game servers as Debian ships them, unmodified: what has to be asked of them, byte by byte.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "common/process/self.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/probe/game.hpp"
#include "tests/unit/worker/probe/quiet_port.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using boost::asio::ip::tcp;
using boost::asio::ip::udp;

struct RealServersTest : ProberFixture {
  RealServersTest() {
    ::chmod(home.path().c_str(), 0777);  // one server does not run as root
  }
  void begin(const std::vector<std::string>& command) {
    game = std::make_unique<Game>(context, command,
                                  std::vector{"HOME=" + home.string(), "PATH=/usr/bin:/bin"s});
  }
  void watch(const ProbePlan& plan, const Ports& ports) {
    probe(plan, ports, [this] { return family_of(game->pid()); });
  }

  test::TemporaryFolder home;
  std::unique_ptr<Game> game;
};

// Teeworlds 0.7 tells nobody anything who has no token of its own, and gives a token only for a
// question that is larger than the answer: a control packet (04), no acknowledgement, no chunks,
// the token "none", message 5 (token), ours, and zeros up to 519 bytes. The answer has the token of
// the server. The second packet is one without connection (21), with the server's token and ours.
UdpProbe teeworlds_info() {
  const auto bytes = [](const char* text) { return *parse_byte_pattern(text)->exactly(); };
  return {
      .port = "game",
      .exchanges = {{.question = bytes("04 00 00 ff ff ff ff 05 'fixk'"),
                     .padded_to = 519,
                     .answer = *parse_byte_pattern("04 00 00 'fixk' 05 ?? ?? ?? ??")},
                    {.question = bytes("21 00 00 00 00 'fixk' ff ff ff ff 'gie3' 01"),
                     .copies = {{.from = 8, .to = 1, .bytes = 4}},
                     .answer = *parse_byte_pattern("21 'fixk' ?? ?? ?? ?? ff ff ff ff 'inf3' 01")}},
      // Version, name, host, map and kind of game; then flags, skill, players without spectators.
      .players = PlayerPattern{
          .pattern = *TextPattern::matching("(?s)inf3\\x01(?:[^\\x00]*\\x00){5}..(.)").pattern,
          .number = PlayerPattern::Number::byte}};
}

TEST_F(RealServersTest, teeworlds_answers_and_tells_how_many_play) {
  const auto port = quiet_port();
  begin({"/usr/games/teeworlds-server", "sv_port " + std::to_string(port), "sv_register 0"});
  const Probe info{.target = teeworlds_info(), .interval = 200ms, .limit = 1s};
  watch({.readiness = {info}, .liveness = {info}, .players = info}, {{"game", port}});
  ASSERT_TRUE(run_until([this] { return players.has_value(); })) << prober->why_not_ready();
  EXPECT_EQ(players->players, 0U);
  game->signal(SIGSTOP);
  ASSERT_TRUE(run_until([this] { return !unhealthy.empty(); }));
  const auto silent = "no answer on udp port " + std::to_string(port) + " (game) for 3 tries of";
  EXPECT_EQ(unhealthy.rfind(silent, 0), 0U) << unhealthy;
}

TEST_F(RealServersTest, teeworlds_ends_if_its_port_is_taken) {
  const auto port = quiet_port();
  const udp::socket stranger{context, {udp::v6(), port}};  // takes IPv4 as well
  EXPECT_TRUE(*port_is_taken(Protocol::udp, port));
  begin({"/usr/games/teeworlds-server", "sv_port " + std::to_string(port), "sv_register 0"});
  EXPECT_EQ(WEXITSTATUS(game->wait()), 255);
}

TEST_F(RealServersTest, freeciv_accepts_connections) {
  const auto port = quiet_port();
  std::vector<std::string> command{"/usr/games/freeciv-server", "--port", std::to_string(port),
                                   "--Announce", "none"};
  if (::geteuid() == 0) {
    command.insert(command.begin(),
                   {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  begin(command);
  const Probe connects{.target = TcpProbe{.port = "game"}, .interval = 500ms, .limit = 1s};
  const Probe says{.target = LineProbe{TextPattern::containing("Now accepting new client")}};
  watch({.readiness = {connects, says}, .liveness = {connects}}, {{"game", port}});
  game->on_line = [this](const std::string& line) { prober->line(line); };
  if (::geteuid() == 0 && !process::sees_processes_of_others()) {
    const auto whose =
        "the answer on tcp port " + std::to_string(port) + " (game) came from another process";
    EXPECT_TRUE(run_until([&] { return prober->why_not_ready() == whose; }));
    return;
  }
  ASSERT_TRUE(run_until([this] { return ready; })) << prober->why_not_ready();
  game->signal(SIGSTOP);
  ASSERT_TRUE(run_until([this] { return !unhealthy.empty(); }));
  EXPECT_EQ(unhealthy, "the game accepted no connection on tcp port " + std::to_string(port) +
                           " (game) for 3 tries of 1000 ms");
}

}  // namespace
}  // namespace fixkeep::probe
