// Game servers with the odd habits of real ones, the whole way, and what a person reads of each.
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/child_process.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/beside.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using support::LocalCluster;
using support::Part;
using support::wait_until;
using testing::ContainsRegex;
using testing::HasSubstr;

// A cluster of one master and one worker, whose rooms are odd servers that are asked by UDP.
class OddGame : public testing::Test {
 protected:
  void play(std::vector<std::string> habits, const json& game = json::object()) {
    json command = json::array({support::beside("fixkeep-odd-server")});
    if (!game.contains("ports")) command.insert(command.end(), {"--port", "{port}"});
    for (const auto& word : habits) command.push_back(word);
    cluster_.emplace(client_sim::ClusterOptions{.masters = 1, .workers = 1, .capacity = 2},
                     [command, game](LocalCluster::Config& config, Part part, std::size_t) {
                       if (part != Part::worker) return;
                       json& entry = config["games"][0];
                       entry["command"] = command;
                       entry["boot_timeout_ms"] = 1500;
                       entry["stop_grace_ms"] = 300;
                       entry["probes"]["ping"] = {
                           {"by", "udp"},
                           {"exchanges", {{{"send", "'ping'"}, {"expect", "'pong'"}}}},
                           {"interval_ms", 100}};
                       entry["ready"] = {"ping"};
                       entry["players"] = "until-exit";
                       entry.merge_patch(game);
                       config["rooms"]["reservation_ms"] = 1000;
                     });
    cluster_->start();
  }

  // The answer to one player, as a document.
  json match(const std::string& player, unsigned status, std::chrono::milliseconds wait = 10s) {
    auto body = json::parse(support::match_body(player, "eu"));
    body["wait_ms"] = wait.count();
    const auto reply = support::post(cluster_->http(0), "/v1/match", body.dump());
    EXPECT_TRUE(reply && reply->status == status)
        << (reply ? reply->body : reply.error().message()) << "\n"
        << log();
    return reply ? json::parse(reply->body) : json::object();
  }
  [[nodiscard]] std::string log() { return cluster_->worker(0).log(); }
  void wait_for_log(const std::string& text) {
    wait_until(text, [&] { return contains(log(), text); });
  }
  void wait_for_masters_log(const std::string& text) {
    wait_until(text, [&] { return contains(cluster_->master(0).log(), text); });
  }
  void leaves_nothing() {
    const auto games = cluster_->games(0);
    expect_clean_stop(*cluster_);
    for (const pid_t game : games) EXPECT_FALSE(process::alive(game));
  }

  std::optional<LocalCluster> cluster_;
};

TEST_F(OddGame, that_answers_late_is_a_boot_timeout_and_everybody_reads_what_was_waited_for) {
  play({"--habit", "late", "--after-ms", "60000"});
  (void)match("anna", 503);
  wait_for_masters_log(": no answer on udp port");  // while the room starts, or when it has failed
  EXPECT_THAT(log(), ContainsRegex("boot-timeout: not ready after 1500 ms: "
                                   "no answer on udp port [0-9]+ \\(game\\)"));
  leaves_nothing();
}

TEST_F(OddGame, that_listens_on_another_port_than_players_are_told_is_not_ready) {
  play({"--port", "{port:query}"}, {{"ports", {"query"}}});
  (void)match("anna", 503);
  wait_for_masters_log(": nothing listens on udp port");
  EXPECT_THAT(log(), ContainsRegex("boot-timeout: not ready after 1500 ms: nothing listens on udp "
                                   "port [0-9]+ \\(game\\)"));
  leaves_nothing();
}

TEST_F(OddGame, that_is_asked_at_the_next_port_has_it_to_itself) {
  play({"--port", "{port+1}"}, {{"ports", json::array()},
                                {"neighbour_ports", 1},
                                {"probes", {{"ping", {{"port", "port+1"}}}}}});
  const auto answer = match("anna", 200);
  const auto first = answer.at("port").get<int>();
  EXPECT_EQ(answer.at("ports"), (json{{"default", first}, {"port+1", first + 1}}));
  auto other = json::parse(support::match_body("bert", "us"));
  const auto reply = support::post(cluster_->http(0), "/v1/match", other.dump());
  ASSERT_TRUE(reply && reply->status == 200) << log();
  EXPECT_GT(std::abs(json::parse(reply->body).at("port").get<int>() - first), 1);
  leaves_nothing();
}

TEST_F(OddGame, that_hangs_takes_no_new_players_and_is_replaced) {
  play({"--habit", "hang"}, {{"alive", {"ping"}}});
  const auto first = match("anna", 200).at("room_id");
  for (const pid_t game : cluster_->games(0)) ::kill(game, SIGUSR1);
  wait_for_log("unhealthy: no answer on udp port");
  const auto second = match("bert", 200).at("room_id");
  EXPECT_NE(second, first);
  leaves_nothing();
}

// Its first room opens and ends at once: not a reason to start one after the other.
TEST_F(OddGame, that_crashes_as_soon_as_it_is_ready_costs_one_room_and_not_many) {
  play({}, {{"command", {"/bin/sh", "-c", "echo ready; exit 3"}},
            {"probes", {{"says", {{"by", "line"}, {"contains", "ready"}}}}},
            {"ready", {"says"}}});
  // A player may get a seat in the blink of an eye for which it looks well, also after a pause.
  ASSERT_TRUE(support::ask_for_seat(cluster_->http(0), "anna", "eu"));
  wait_for_log("no rooms of the mode for a while");
  auto asked = json::parse(support::match_body("bert", "eu"));
  asked["wait_ms"] = 300;
  wait_until("an operator is told why there is no room", [&] {
    const auto reply = support::post(cluster_->http(0), "/v1/match", asked.dump());
    return reply && reply->status == 503 &&
           contains(cluster_->master(0).log(), "w1: right after it was ready: exit code 3");
  });
  EXPECT_LE(cluster_->rooms_started(0), 4U) << "each pause is twice as long as the one before";
  leaves_nothing();
}

TEST_F(OddGame, that_goes_into_the_background_is_told_how_to_be_followed) {
  play({"--habit", "fork-and-leave"});
  // What it left may answer before it has ended itself, and then a player gets a seat for a moment;
  // the next one meets a mode that is paused, and does not wait for long.
  auto asked = json::parse(support::match_body("anna", "eu"));
  asked["wait_ms"] = 5000;
  wait_until("a player is refused", [&] {
    const auto reply = support::post(cluster_->http(0), "/v1/match", asked.dump());
    return reply && reply->status >= 500;
  });
  wait_for_masters_log(
      "exit code 0; it left 1 process behind, which was killed (a server that goes into the "
      "background needs \\\"daemon\\\": true)");
  leaves_nothing();
}

TEST_F(OddGame, that_goes_into_the_background_is_followed_as_a_daemon) {
  play({"--habit", "fork-and-leave"}, {{"daemon", true}});
  (void)match("anna", 200);
  EXPECT_EQ(cluster_->rooms(0).size(), 1U);
  leaves_nothing();
}

TEST_F(OddGame, that_floods_its_output_is_played_and_fills_no_disk) {
  play({"--habit", "flood"}, {{"ready", {"ping"}}});
  const auto room = match("anna", 200).at("room_id").get<std::string>();
  const auto written = support::get(cluster_->worker_admin(0), "/v1/rooms/" + room + "/log");
  ASSERT_TRUE(written);
  EXPECT_EQ(written->status, 200U);
  EXPECT_LE(written->body.size(), 65'536U);
  EXPECT_FALSE(written->body.empty());
  leaves_nothing();
}

TEST_F(OddGame, that_ignores_sigterm_is_killed_when_its_grace_is_over) {
  play({"--habit", "ignore-sigterm"});
  (void)match("anna", 200);
  leaves_nothing();
  EXPECT_THAT(log(), HasSubstr("game killed: it did not end in time"));
  EXPECT_THAT(log(), HasSubstr("how=\"signal SIGKILL\" reason=\"stopped"));
}

TEST_F(OddGame, that_must_have_a_home_has_one_of_its_own) {
  play({"--habit", "needs-home"});
  (void)match("anna", 200);
  leaves_nothing();
}

TEST_F(OddGame, that_takes_its_port_from_a_file_only_finds_it_there) {
  play({"--port-file", "port.txt"},
       {{"ports", json::array()}, {"files", {{"port.txt", {"{port}"}}}}});
  (void)match("anna", 200);
  leaves_nothing();
}

TEST_F(OddGame, that_takes_more_memory_than_its_limit_is_told_to_have) {
  play({"--habit", "hoard"}, {{"memory_limit_mib", 32}});
  (void)match("anna", 200);
  if (contains(log(), "limits of games do not hold")) {
    std::puts("this machine has no control groups that limit memory");
    return leaves_nothing();
  }
  for (const pid_t game : cluster_->games(0)) ::kill(game, SIGUSR1);
  wait_for_log("how=\"signal SIGKILL: it reached its memory limit of 32 MiB\"");
  leaves_nothing();
}

// --- who plays -----------------------------------------------------------------------------------

TEST_F(OddGame, that_says_how_many_play_has_no_seat_for_more) {
  play({"--habit", "a2s", "--players", "2"},
       {{"probes", {{"query", {{"by", "a2s"}, {"interval_ms", 100}}}}},
        {"ready", {"query"}},
        {"players", "query"}});
  const auto first = match("anna", 200).at("room_id");
  wait_until("strangers are counted", [&] {
    const auto rooms = cluster_->rooms(0);
    return rooms.size() == 1 && rooms[0].at("occupied") == 2;
  });
  EXPECT_NE(match("bert", 200).at("room_id"), first) << "a full game is never handed out";
  leaves_nothing();
}

// Wherever rooms are listed: not 0, and not the last number as if it were still true.
TEST_F(OddGame, whose_players_cannot_be_counted_any_more_is_shown_as_unknown) {
  play({"--habit", "a2s", "--habit", "hang", "--players", "1"},
       {{"probes", {{"query", {{"by", "a2s"}, {"interval_ms", 100}}}}},
        {"ready", {"query"}},
        {"players", "query"}});
  (void)match("anna", 200);
  wait_until("she is counted", [&] { return cluster_->rooms(0)[0].at("occupied") == 1; });
  for (const pid_t game : cluster_->games(0)) ::kill(game, SIGUSR1);
  wait_until("nobody can be counted", [&] { return cluster_->rooms(0)[0]["occupied"].is_null(); });
  EXPECT_EQ(cluster_->rooms(0)[0].at("reserved"), 1) << "her seat is kept";
  for (const auto& [node, name] : {std::pair{cluster_->worker_admin(0), "worker_seats"},
                                   std::pair{cluster_->admin(0), "master_seats"}}) {
    EXPECT_EQ(support::get_metric(node, name, "unknown"), 1) << name;
    EXPECT_EQ(support::get_metric(node, name, "free"), 1) << name;
    EXPECT_EQ(support::get_metric(node, name, "occupied"), 0) << name;
  }
  const test::TemporaryFolder folder;
  const auto printed = folder.path() / "rooms";
  const auto admin = cluster_->admin(0);
  auto listed = process::ChildProcess::start(
      {(client_sim::program_folder() / "fixkeepctl").string(), "rooms", "--admin",
       "http://" + admin.host + ":" + std::to_string(admin.port)},
      printed);
  ASSERT_TRUE(listed && listed->wait(60s));
  std::ifstream file{printed};
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>{file}, {}}),
              ContainsRegex(" unknown +1 +2\n"));
  leaves_nothing();
}

// The demo game, which is asked for nothing.
TEST(GameThatTellsNothing, keeps_a_seat_for_whoever_is_connected_and_not_for_who_never_came) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::worker) return;
                         json& game = config["games"][0];
                         game["probes"] = {{"accepts", {{"by", "tcp"}, {"interval_ms", 200}}}};
                         game["ready"] = {"accepts"};
                         game["alive"] = {"accepts"};
                         game["players"] = "until-exit";
                         config["rooms"]["reservation_ms"] = 2000;
                       }};
  cluster.start();
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket player{context};
  const auto came = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(came && came->status == 200U);
  const auto seat = client_sim::parse_match_answer(came->body);
  ASSERT_TRUE(seat) << came->body;
  player.connect({boost::asio::ip::make_address("127.0.0.1"), seat->port});
  ASSERT_EQ(support::ask_for_seat(cluster.http(0), "bert", "us")->status, 200U);
  wait_until("the room to which nobody came has closed, and the other one is occupied", [&] {
    const auto rooms = cluster.rooms(0);
    return rooms.size() == 1 && rooms[0].at("occupied") == 1;
  });
  EXPECT_EQ(cluster.rooms(0)[0].at("room_id"), seat->room_id);
  expect_logged(cluster.worker(0), "nobody came");
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
