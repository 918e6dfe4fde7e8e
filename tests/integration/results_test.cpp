// A game says its match's result. The result counts once, even if the worker dies and posts
// fail.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/net/http/server.hpp"
#include "common/net/webhook/webhook.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;

constexpr const char* secret = "the secret of the webhook";
constexpr const char* match_path = "/v1/matches/final";

// A service that takes no post at first. It runs on a thread of its own.
class Receiver {
 public:
  Receiver() {
    server_ = net::HttpServer::start(
                  context_, {},
                  [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
                    responder.answer({.status = take(request), .body = "{}"});
                  })
                  .value();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~Receiver() {
    context_.stop();
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + "/hook";
  }
  [[nodiscard]] std::vector<json> taken() {
    const std::lock_guard lock{mutex_};
    return taken_;
  }
  [[nodiscard]] bool ready() {
    const std::lock_guard lock{mutex_};
    return !readies_.empty();
  }
  [[nodiscard]] std::vector<json> ends() {
    const std::lock_guard lock{mutex_};
    return ends_;
  }
  [[nodiscard]] std::set<std::string> ids() {
    const std::lock_guard lock{mutex_};
    return ids_;
  }

 private:
  unsigned take(const net::HttpRequest& request) {
    const std::lock_guard lock{mutex_};
    const std::string signature{request["Fixkeep-Signature"]};
    const std::chrono::seconds at{std::stoll(signature.substr(2))};
    EXPECT_EQ(signature, net::webhook_signature(secret, at, request.body()));
    const json body = json::parse(request.body());
    if (body.at("event") == "match-state") {
      EXPECT_EQ(body.at("match_id"), "final");
      (body.at("state") == "ready" ? readies_ : ends_).push_back(body);
      return 200;
    }
    ids_.insert(body.at("id"));
    if (refused_ < 2) {
      ++refused_;
      return 503;
    }
    taken_.push_back(body);
    return 200;
  }

  boost::asio::io_context context_;
  std::unique_ptr<net::HttpServer> server_;
  std::mutex mutex_;
  std::vector<json> taken_;
  std::set<std::string> ids_;
  int refused_ = 0;
  std::vector<json> readies_;
  std::vector<json> ends_;  // of the match
  std::thread thread_;
};

struct Results : testing::Test {
  Results()
      : cluster{{.masters = 2, .workers = 1, .capacity = 2, .reservation_ms = 60'000},
                [this](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::master) {
                    config["webhook"] = {
                        {"url", receiver.url()}, {"secret", secret}, {"also", {"match-state"}}};
                    return;
                  }
                  config["rooms"]["outlive_worker_ms"] = 60'000;
                  config["games"][0]["command"] = {
                      std::filesystem::absolute("tests/integration/deciding_game.py").string()};
                }} {
    cluster.start();
  }

  // Returns the status of the SDK's answer.
  std::string game_says(const std::string& result) {
    const std::string answer = folder + "/answer-" + std::to_string(++calls);
    const std::string file = folder + "/say.json";
    std::ofstream{file + ".new"} << json{
        {"newcomers", ""}, {"players", json::array()}, {"result", result}, {"call", calls}};
    std::filesystem::rename(file + ".new", file);
    support::wait_until("the worker answers", [&] { return std::filesystem::exists(answer); });
    std::string status;
    std::ifstream{answer} >> status;
    return status;
  }
  // Sets how large a file the worker may write.
  void limit_files(rlim_t bytes) {
    rlimit limits{};
    ASSERT_EQ(::prlimit(cluster.worker(0).pid(), RLIMIT_FSIZE, nullptr, &limits), 0);
    limits.rlim_cur = std::min(bytes, limits.rlim_max);
    ASSERT_EQ(::prlimit(cluster.worker(0).pid(), RLIMIT_FSIZE, &limits, nullptr), 0);
  }
  [[nodiscard]] json node_of_worker() const {
    const auto reply = support::get(cluster.worker_admin(0), "/v1/node");
    return reply ? json::parse(reply->body) : json{};
  }
  [[nodiscard]] json shown(std::size_t master, unsigned status) const {
    json body;
    support::wait_until("master " + std::to_string(master) + " shows the result", [&] {
      const auto reply = support::get(cluster.http(master), match_path);
      if (!reply || reply->status != status) return false;
      body = json::parse(reply->body);
      return body.contains("result");
    });
    return body.value("result", json{});
  }

  Receiver receiver;
  LocalCluster cluster;
  std::string folder;
  int calls = 0;
};

TEST_F(Results, of_a_match_are_kept_by_a_killed_worker_shown_by_every_master_and_posted) {
  const json players{{{"player_id", "ann"}}, {{"player_id", "bob"}}};
  const json order{{"mode", "duel"}, {"attributes", {{"region", "eu"}}}, {"players", players}};
  const auto made = support::put(cluster.http(0), match_path, order.dump());
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const std::string room = json::parse(made->body).at("room_id");
  support::wait_until("the master posts that the match is ready", [&] { return receiver.ready(); });
  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 1U);
  folder = support::environment_of(games[0])["FIXKEEP_FOLDER"];

  EXPECT_EQ(game_says("winner: red"), "400") << "no JSON";
  limit_files(1);
  EXPECT_EQ(game_says(R"({"winner":"nobody"})"), "503") << "the journal cannot be written";
  EXPECT_EQ(node_of_worker().value("journal_is_whole", true), false);
  limit_files(RLIM_INFINITY);
  support::wait_until("the journal is written again",
                      [&] { return game_says(R"({"winner":"red"})") == "200"; });
  EXPECT_FALSE(node_of_worker().contains("journal_is_whole"));
  cluster.worker(0).kill();
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  EXPECT_EQ(game_says(R"({"winner":"blue"})"), "409");
  EXPECT_EQ(cluster.worker(0).upgrade(std::chrono::milliseconds{10'000}), "exit code 0");
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  EXPECT_EQ(game_says(R"({"winner":"blue"})"), "409") << "the run after SIGUSR2";
  EXPECT_EQ(game_says(R"({"winner":"red"})"), "200");

  const json red{{"winner", "red"}};
  EXPECT_EQ(shown(0, 200), red);
  EXPECT_EQ(shown(1, 200), red);
  support::wait_until("each master has posted", [&] { return receiver.taken().size() >= 2; });
  for (const json& event : receiver.taken()) {
    EXPECT_EQ(event.at("event"), "room-result");
    EXPECT_EQ(event.at("room_id"), room);
    EXPECT_EQ(event.at("match_id"), "final");
    EXPECT_EQ(event.at("result"), red);
  }
  EXPECT_EQ(receiver.ids().size(), 1U) << "an event keeps its id";

  EXPECT_TRUE(receiver.ends().empty());
  ::kill(games[0], SIGKILL);
  EXPECT_EQ(shown(0, 410), red);
  support::wait_until("both masters post the end", [&] { return receiver.ends().size() >= 2; });
  cluster.master(1).kill();
  cluster.master(1).start(cluster.config(Part::master, 1));
  EXPECT_EQ(shown(1, 410), red) << "a master that has just started";
  support::wait_until("it posts again", [&] { return receiver.taken().size() >= 3; });
  EXPECT_EQ(receiver.ids().size(), 1U);
  support::wait_until("it posts the end again", [&] { return receiver.ends().size() >= 3; });
  for (const json& end : receiver.ends()) {
    EXPECT_EQ(end, receiver.ends().front()) << "with the same id";
    EXPECT_EQ(end.at("state"), "ended");
    EXPECT_EQ(end.at("room_id"), room);
    EXPECT_EQ(end.at("result"), red);
  }
}

}  // namespace
}  // namespace fixkeep::integration
