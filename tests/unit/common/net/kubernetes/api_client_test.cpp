// The client and its watch against a server of this program, which answers what a test says.
#include "common/net/kubernetes/api_client.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <deque>
#include <fstream>

#include "common/certs/folder.hpp"
#include "common/net/http/server.hpp"
#include "common/net/kubernetes/watch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::kubernetes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct ApiClientTest : testing::Test {
  using Handler = std::function<void(const net::HttpRequest&, const net::HttpResponder&)>;

  void serve(Handler handler, net::HttpOptions options = {}) {
    server = net::HttpServer::start(
                 io, options,
                 [handler = std::move(handler)](net::HttpRequest&& request, const auto& responder) {
                   handler(request, responder);
                 })
                 .value();
    access.host = "127.0.0.1";
    access.port = server->port();
    access.plain = options.tls == nullptr;
  }
  [[nodiscard]] std::unique_ptr<ApiClient> client() {
    auto made = ApiClient::make(io, access);
    const auto* const why = std::get_if<std::string>(&made);
    EXPECT_EQ(why, nullptr) << *why;
    return why == nullptr ? std::move(std::get<0>(made)) : nullptr;
  }
  template <class Done>
  [[nodiscard]] bool run_until(Done done) {
    const auto limit = std::chrono::steady_clock::now() + 120s;
    while (!done() && std::chrono::steady_clock::now() < limit) {
      io.restart();
      io.run_one_for(100ms);
    }
    return done();
  }
  ApiAnswer ask(ApiClient& of, ApiCall call) {
    std::optional<ApiAnswer> answer;
    of.ask(std::move(call), 60s, [&](const ApiAnswer& given) { answer = given; });
    EXPECT_TRUE(run_until([&] { return answer.has_value(); }));
    return answer.value_or(ApiAnswer{});
  }

  ~ApiClientTest() override {
    if (server) server->close();
  }

  test::TemporaryFolder folder;
  boost::asio::io_context io;
  std::shared_ptr<net::HttpServer> server;
  Access access;
};

TEST_F(ApiClientTest, what_was_not_sent_is_not_sent_once_the_client_has_gone) {
  std::vector<std::string> heard;
  serve([&](const net::HttpRequest& request, const net::HttpResponder& responder) {
    heard.emplace_back(request.target());
    responder.answer({});
  });
  auto gone = client();
  for (int i = 0; i < 20; ++i) {
    gone->ask({.target = "/gone"}, 60s, [](const ApiAnswer&) { ADD_FAILURE() << "told"; });
  }
  gone.reset();
  const auto asked = client();
  (void)ask(*asked, {.target = "/here"});
  EXPECT_THAT(heard, ElementsAre("/here"));
}

TEST_F(ApiClientTest, asks_with_its_token_below_the_prefix_and_says_what_it_sends) {
  std::vector<std::string> heard;
  serve([&](const net::HttpRequest& request, const net::HttpResponder& responder) {
    heard.push_back(std::string{request.method_string()} + " " + std::string{request.target()} +
                    " " + std::string{request["authorization"]} + " " +
                    std::string{request["content-type"]} + " " + request.body());
    responder.answer({.status = 429, .body = "later", .retry_after_seconds = 7});
  });
  access.token.text = "secret\n";
  access.prefix = "/k8s/c-1";
  const auto asked = client();
  const auto answer = ask(*asked, {.target = "/api/v1/namespaces/games/pods"});
  EXPECT_EQ(answer.status, 429U);
  EXPECT_EQ(answer.body, "later");
  EXPECT_EQ(answer.retry_after, "7");
  (void)ask(*asked, {.method = "PATCH",
                     .target = "/x",
                     .body = "[]",
                     .content_type = "application/json-patch+json"});
  EXPECT_THAT(heard, ElementsAre("GET /k8s/c-1/api/v1/namespaces/games/pods Bearer secret  ",
                                 "PATCH /k8s/c-1/x Bearer secret application/json-patch+json []"));
}

TEST_F(ApiClientTest, reads_its_token_again_when_it_is_not_known_any_more) {
  access.token.file = folder.string() + "/token";
  std::ofstream{access.token.file} << "old";
  serve([&](const net::HttpRequest& request, const net::HttpResponder& responder) {
    responder.answer({.status = request["authorization"] == "Bearer new" ? 200U : 401U});
  });
  const auto asked = client();
  EXPECT_EQ(ask(*asked, {.target = "/"}).status, 401U);
  std::ofstream{access.token.file} << "new";
  EXPECT_EQ(ask(*asked, {.target = "/"}).status, 401U) << "files are not read at each call";
  EXPECT_TRUE(run_until([&, answered = true, good = false]() mutable {
    if (good || !answered) return good;
    answered = false;
    asked->ask({.target = "/"}, 60s, [&](const ApiAnswer& answer) {
      answered = true;
      good = answer.status == 200;
    });
    return good;
  }));
}

TEST_F(ApiClientTest, many_are_asked_at_a_time_and_none_after_it_has_gone) {
  std::vector<net::HttpResponder> waiting;
  serve([&](const net::HttpRequest&, const net::HttpResponder& responder) {
    waiting.push_back(responder);
  });
  auto asked = client();
  int answers = 0;
  for (int i = 0; i < 20; ++i) {
    asked->ask({.target = "/"}, 60s, [&](const ApiAnswer&) { ++answers; });
  }
  ASSERT_TRUE(run_until([&] { return waiting.size() == 8; }));
  waiting[0].answer({});
  ASSERT_TRUE(run_until([&] { return waiting.size() == 9 && answers == 1; }));
  asked.reset();
  for (const auto& each : waiting) each.answer({});
  io.restart();
  io.run_for(200ms);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(waiting.size(), 9U);
}

TEST_F(ApiClientTest, what_it_was_asked_for_before_it_went_is_not_sent_after) {
  int heard = 0;
  serve([&](const net::HttpRequest&, const net::HttpResponder& responder) {
    ++heard;
    responder.answer({});
  });
  auto asked = client();
  asked->ask({.method = "POST", .target = "/"}, 60s, [](const ApiAnswer&) {});
  ApiClient::Stream stream;
  stream.piece = [](const std::string&) { return true; };
  stream.done = [](const ApiAnswer&) {};
  asked->stream({.target = "/"}, 60s, 60s, std::move(stream));
  asked.reset();
  io.restart();
  io.run_for(200ms);
  EXPECT_EQ(heard, 0);
}

TEST_F(ApiClientTest, a_server_whose_certificate_names_another_host_is_told_nothing) {
  const certs::CertificateFolder made{folder.path()};
  ASSERT_EQ(made.init("test", std::chrono::days{100}), "");
  const auto signer = made.authority();
  ASSERT_EQ(made.add_node(std::get<certs::Authority>(signer), net::Role::master, "m1",
                          std::chrono::days{10}, true),
            "");
  net::HttpOptions options;
  options.tls = std::get<0>(
      net::HttpsCertificate::load({folder.string() + "/m1.pem", folder.string() + "/m1.key"}));
  bool heard = false;
  serve([&](const net::HttpRequest&, const net::HttpResponder&) { heard = true; }, options);
  access.authority.file = folder.string() + "/authority.pem";
  access.token.text = "secret";
  const auto asked = client();
  const auto answer = ask(*asked, {.target = "/"});
  EXPECT_EQ(answer.status, 0U);
  EXPECT_THAT(answer.body, HasSubstr("its certificate is not believed"));
  EXPECT_FALSE(heard);
}

TEST_F(ApiClientTest, an_authority_that_is_none_is_told) {
  access.host = "127.0.0.1";
  access.authority.text = "hello";
  const auto made = ApiClient::make(io, access);
  EXPECT_THAT(std::get<std::string>(made), HasSubstr("no certificate in PEM"));
}

TEST_F(ApiClientTest, a_watch_lists_follows_and_goes_on_where_it_was_cut) {
  std::deque<net::HttpStream> watches;
  std::vector<std::string> targets;
  serve([&](const net::HttpRequest& request, const net::HttpResponder& responder) {
    const std::string target{request.target()};
    if (target.find("watch=true") == std::string::npos) {
      return responder.answer(
          {.body = R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}}]})"});
    }
    targets.push_back(target);
    if (auto stream = responder.stream("application/json")) watches.push_back(*stream);
  });
  const auto asked = client();
  std::vector<std::string> told;
  const auto name = [](const Json& object) { return text_at(at(object, "metadata"), "name"); };
  auto watch = std::make_unique<Watch>(
      io, *asked, ReflectorOptions{.resource = {"/api/v1", "games", "pods"}, .labels = {}},
      Watch::Handlers{
          .listed = [&](const auto& all) { told.push_back("listed " + name(all.at(0))); },
          .changed = [&](const Json& object) { told.push_back("changed " + name(object)); },
          .removed = [&](const Json& object) { told.push_back("removed " + name(object)); },
          .away = [&](const std::string& why) { told.push_back("away " + why); },
          .back = [&] { told.emplace_back("back"); }});
  watch->begin();
  ASSERT_TRUE(run_until([&] { return watches.size() == 1; }));
  const auto bytes = [](const char* text) { return std::make_shared<const std::string>(text); };
  watches[0].send(
      bytes(R"({"type":"ADDED","object":{"metadata":{"name":"b","resourceVersion":"6"}}})"
            "\n"
            R"({"type":"MODI)"));
  ASSERT_TRUE(run_until([&] { return told.size() == 2; }));
  watches[0].close();
  ASSERT_TRUE(run_until([&] { return watches.size() == 2; }));
  EXPECT_THAT(targets[1], HasSubstr("resourceVersion=6&"));
  watches[1].send(
      bytes(R"({"type":"DELETED","object":{"metadata":{"name":"b","resourceVersion":"7"}}})"
            "\n"));
  ASSERT_TRUE(run_until([&] { return told.size() == 3; }));
  EXPECT_THAT(told, ElementsAre("listed a", "changed b", "removed b"));
  watch.reset();
  watches[1].send(
      bytes(R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"8"}}})"
            "\n"));
  io.restart();
  io.run_for(100ms);
  EXPECT_EQ(told.size(), 3U);
}

}  // namespace
}  // namespace fixkeep::kubernetes
