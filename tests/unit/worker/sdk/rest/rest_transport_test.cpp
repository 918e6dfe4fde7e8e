#include "worker/sdk/rest/rest_transport.hpp"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace fixkeep::worker {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using Json = nlohmann::json;

struct Reply {
  unsigned status = 0;
  Json body;
};

struct RestTransportTest : testing::Test {
  RestTransportTest() {
    SessionHandlers handlers;
    handlers.ready = [this] { happened.emplace_back("ready"); };
    handlers.health = [this] { happened.emplace_back("health"); };
    handlers.shutdown = [this] { happened.emplace_back("shutdown"); };
    handlers.connect = [this](const PlayerId& player, const std::function<void(bool)>& answer) {
      happened.push_back("connect " + player.text());
      answer(player.text() != "stranger");
    };
    handlers.disconnect = [this](const PlayerId& player) {
      happened.push_back("disconnect " + player.text());
    };
    const SessionFacts facts{.room = "w1-1-1",
                             .address = "game.example",
                             .port = 20001,
                             .capacity = 4,
                             .group = "duel|eu",
                             .mode = "duel"};
    auto started = start_rest_transport(context, std::make_shared<Session>(facts, handlers));
    EXPECT_TRUE(started);
    sdk = std::move(*started);
    port = static_cast<std::uint16_t>(std::stoi(sdk->variables().at("AGONES_SDK_HTTP_PORT")));
  }

  // A game of its own thread, while this one is the worker.
  Reply call(http::verb verb, const std::string& path, const std::string& body = "{}") {
    auto answer = std::async(std::launch::async, [&] {
      boost::asio::io_context own;
      tcp::socket socket{own};
      socket.connect({boost::asio::ip::address_v4::loopback(), port});
      http::request<http::string_body> request{verb, path, 11};
      request.set(http::field::host, "localhost");
      request.body() = body;
      request.prepare_payload();
      http::write(socket, request);
      boost::beast::flat_buffer buffer;
      http::response<http::string_body> response;
      http::read(socket, buffer, response);
      return Reply{response.result_int(), Json::parse(response.body(), nullptr, false)};
    });
    while (answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
      context.restart();
      context.run_for(std::chrono::milliseconds{2});
    }
    return answer.get();
  }
  Reply post(const std::string& path, const std::string& body = "{}") {
    return call(http::verb::post, path, body);
  }
  Reply get(const std::string& path) { return call(http::verb::get, path, ""); }

  boost::asio::io_context context{1};
  std::vector<std::string> happened;
  std::unique_ptr<Transport> sdk;
  std::uint16_t port = 0;
};

TEST_F(RestTransportTest, passes_on_what_the_game_says_of_itself) {
  EXPECT_EQ(post("/ready").body, Json::object());
  EXPECT_EQ(post("/health").status, 200U);
  EXPECT_EQ(get("/gameserver").body["status"]["state"], "Ready");
  EXPECT_EQ(post("/shutdown").status, 200U);
  EXPECT_EQ(happened, (std::vector<std::string>{"ready", "health", "shutdown"}));
}

TEST_F(RestTransportTest, admits_a_player_if_the_worker_does) {
  EXPECT_EQ(post("/alpha/player/connect", R"({"playerID":"ann"})").body, Json({{"bool", true}}));
  EXPECT_EQ(post("/alpha/player/connect", R"({"playerID":"stranger"})").body,
            Json({{"bool", false}}));
  EXPECT_EQ(get("/alpha/player/count").body, Json({{"count", "1"}}));
  EXPECT_EQ(get("/alpha/player/connected").body["list"], Json::array({"ann"}));
  EXPECT_EQ(get("/alpha/player/connected/ann").body, Json({{"bool", true}}));
  EXPECT_EQ(get("/alpha/player/connected/stranger").body, Json({{"bool", false}}));
  EXPECT_EQ(post("/alpha/player/disconnect", R"({"playerID":"ann"})").body, Json({{"bool", true}}));
  EXPECT_EQ(post("/alpha/player/disconnect", R"({"playerID":"ann"})").body,
            Json({{"bool", false}}));
  EXPECT_EQ(get("/alpha/player/count").body, Json({{"count", "0"}}));
}

TEST_F(RestTransportTest, decodes_the_player_id_of_a_path) {
  post("/alpha/player/connect", R"({"playerID":"ann/\u00e9 100%"})");
  const Json in{{"bool", true}};
  EXPECT_EQ(get("/alpha/player/connected/ann%2F%c3%A9%20100%25").body, in);
  EXPECT_EQ(get("/alpha/player/connected/%61nn/%C3%A9%20100%25").body, in);
  EXPECT_EQ(get("/alpha/player/connected/ann+").body, Json({{"bool", false}}));
  for (const char* id : {"ann%", "ann%2", "ann%2x", "%%41", "%-1", ""}) {
    const Reply reply = get(std::string{"/alpha/player/connected/"} + id);
    EXPECT_EQ(reply.status, 400U) << id;
    EXPECT_EQ(reply.body["code"], 3) << id;
  }
  EXPECT_EQ(get("/alpha/player/connected/" + std::string(129, 'a')).status, 400U);
}

TEST_F(RestTransportTest, shows_the_game_server_as_agones_does) {
  const Json body = get("/gameserver").body;
  EXPECT_EQ(body["object_meta"]["name"], "w1-1-1");
  EXPECT_EQ(body["object_meta"]["generation"], "1") << "64-bit numbers are text";
  EXPECT_EQ(body["status"]["address"], "game.example");
  EXPECT_EQ(body["status"]["ports"][0]["port"], 20001);
  EXPECT_EQ(body["status"]["addresses"].size(), 1U);
  EXPECT_EQ(body["spec"]["health"]["failure_threshold"], 3);
}

TEST_F(RestTransportTest, tells_the_capacity_and_the_rule_of_health) {
  EXPECT_EQ(get("/alpha/player/capacity").body, Json({{"count", "4"}}));
  const Json health = get("/gameserver").body["spec"]["health"];
  EXPECT_EQ(health["period_seconds"], 5);
  EXPECT_EQ(health["initial_delay_seconds"], 5);
}

TEST_F(RestTransportTest, refuses_what_it_does_not_know_with_the_codes_of_agones) {
  EXPECT_EQ(post("/nothing").status, 404U);
  EXPECT_EQ(get("/ready").status, 501U);
  EXPECT_EQ(post("/gameserver").status, 501U);
  EXPECT_EQ(post("/alpha/player/connected/%").status, 501U);
  EXPECT_EQ(get("/gameserver/").status, 404U);
  EXPECT_EQ(get("/gameserver?x=1").status, 200U);
  for (const char* body : {"", "{", "[]", "{}", R"({"playerID":7})", R"({"playerID":""})"}) {
    const Reply reply = post("/alpha/player/connect", body);
    EXPECT_EQ(reply.status, 400U) << body;
    EXPECT_EQ(reply.body["code"], 3) << body;
  }
  EXPECT_TRUE(happened.empty());
}

}  // namespace
}  // namespace fixkeep::worker
