// Events on their way to a service: a real HTTP server, on the same loop.
#include "common/net/webhook/webhook.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr const char* secret = "the secret of the webhook";

TEST(WebhookSignature, is_that_of_openssl) {
  EXPECT_EQ(webhook_signature(secret, 1'763'797'124s, R"({"id":"1"})"),
            "t=1763797124,v1=d8ea762c29a97335657852ffae9f0b3155a0823b9ab3c26cb8ad28d52be5bea1");
}

class WebhookTest : public ::testing::Test {
 protected:
  void listen(std::uint16_t port = 0) {
    HttpOptions options;
    options.port = port;
    service_ = HttpServer::start(context_, options,
                                 [this](HttpRequest&& request, const HttpResponder& responder) {
                                   responder.answer({.status = take(request), .body = "{}"});
                                 })
                   .value();
  }
  unsigned take(const HttpRequest& request) {
    EXPECT_EQ(request.method_string(), "POST");
    EXPECT_EQ(request.target(), "/hook");
    EXPECT_EQ(request[http::field::content_type], "application/json");
    const std::string signature{request["Fixkeep-Signature"]};
    EXPECT_TRUE(signature.starts_with("t=")) << signature;
    if (signature.size() > 2) {
      const std::chrono::seconds at{std::stoll(signature.substr(2))};
      EXPECT_EQ(signature, webhook_signature(secret, at, request.body()));
    }
    if (!statuses_.empty()) {
      const unsigned status = statuses_.front();
      statuses_.pop_front();
      if (status != 200) return status;
    }
    taken_.push_back(request.body());
    return 200;
  }
  WebhookOptions options() {
    WebhookOptions made;
    made.url = {false, "127.0.0.1", service_ ? service_->port() : std::uint16_t{1}, "/hook"};
    made.secret = secret;
    made.first_pause = 10ms;
    made.longest_pause = 40ms;
    return made;
  }
  void run_until(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < limit) context_.run_one_for(50ms);
    EXPECT_TRUE(condition());
  }

  boost::asio::io_context context_{1};
  std::unique_ptr<HttpServer> service_;
  std::deque<unsigned> statuses_;  // of the next answers; then 200
  std::vector<std::string> taken_;
};

TEST_F(WebhookTest, posts_each_event_signed_on_one_connection) {
  listen();
  Webhook webhook{context_, options()};
  webhook.add("1");
  run_until([&] { return webhook.counters().delivered == 1; });
  webhook.add("2");
  webhook.add("3");
  run_until([&] { return webhook.counters().delivered == 3; });
  EXPECT_THAT(taken_, ElementsAre("1", "2", "3"));
  EXPECT_EQ(service_->connections(), 1U);
}

TEST_F(WebhookTest, posts_again_until_the_service_takes_it) {
  listen();
  statuses_ = {503, 400, 302};
  Webhook webhook{context_, options()};
  webhook.add("1");
  run_until([&] { return webhook.counters().delivered == 1; });
  EXPECT_THAT(taken_, ElementsAre("1"));
  EXPECT_EQ(webhook.counters().failures, 3U);
  EXPECT_EQ(webhook.counters().dropped, 0U);
}

TEST_F(WebhookTest, is_not_stopped_by_an_event_that_the_service_refuses) {
  listen();
  statuses_ = {400};
  Webhook webhook{context_, options()};
  for (const char* body : {"1", "2", "3"}) webhook.add(body);
  run_until([&] { return webhook.counters().delivered == 3; });
  EXPECT_THAT(taken_, ElementsAre("2", "3", "1"));
}

TEST_F(WebhookTest, posts_new_events_at_once_although_the_service_refuses_others) {
  listen();
  auto chosen = options();
  chosen.first_pause = 1h;
  chosen.longest_pause = 1h;
  statuses_.assign(12, 400);
  Webhook webhook{context_, chosen};
  for (int i = 0; i < 12; ++i) webhook.add("refused");
  run_until([&] { return webhook.counters().failures == 12; });
  webhook.add("new");
  run_until([&] { return webhook.counters().delivered == 1; });
  EXPECT_THAT(taken_, ElementsAre("new"));
  EXPECT_EQ(webhook.counters().waiting, 12U);
}

// Twelve are due at once, but only one of them is tried in each pause of 10 ms.
TEST_F(WebhookTest, paces_what_the_service_refuses_again_and_again) {
  listen();
  statuses_.assign(36, 500);
  const auto began = std::chrono::steady_clock::now();
  Webhook webhook{context_, options()};
  for (int i = 0; i < 12; ++i) webhook.add("refused");
  run_until([&] { return webhook.counters().delivered == 12; });
  EXPECT_EQ(webhook.counters().failures, 36U);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 200ms);
}

TEST_F(WebhookTest, posts_what_is_new_before_it_ends) {
  listen();
  statuses_ = {400};
  auto chosen = options();
  chosen.first_pause = 1h;
  Webhook webhook{context_, chosen};
  webhook.add("refused");
  run_until([&] { return webhook.counters().failures == 1; });
  for (const char* body : {"1", "2", "3"}) webhook.add(body);
  webhook.stop(10s);
  webhook.add("too late");
  run_until([&] { return webhook.counters().delivered == 3; });
  EXPECT_THAT(taken_, ElementsAre("1", "2", "3"));
  service_->close();
  context_.run_for(5s);
  EXPECT_TRUE(context_.stopped()) << "it does not wait for the end of its time";
}

TEST_F(WebhookTest, ends_at_once_if_nobody_listens) {
  Webhook webhook{context_, options()};
  for (const char* body : {"1", "2", "3"}) webhook.add(body);
  webhook.stop(1h);
  context_.run_for(5s);
  EXPECT_TRUE(context_.stopped());
  EXPECT_EQ(webhook.counters().failures, 1U);
}

TEST_F(WebhookTest, finds_a_service_that_comes_later) {
  listen();
  const auto chosen = options();
  service_->close();
  service_.reset();
  Webhook webhook{context_, chosen};
  webhook.add("1");
  run_until([&] { return webhook.counters().failures >= 2; });
  EXPECT_EQ(webhook.counters().waiting, 1U);
  listen(chosen.url.port);
  run_until([&] { return webhook.counters().delivered == 1; });
  EXPECT_THAT(taken_, ElementsAre("1"));
}

TEST_F(WebhookTest, loses_the_oldest_when_too_much_waits_and_counts_it) {
  listen();
  auto chosen = options();
  chosen.queue_bytes = 2;
  Webhook webhook{context_, chosen};
  for (const char* body : {"1", "2", "3", "4"}) webhook.add(body);
  EXPECT_EQ(webhook.counters().dropped, 2U);
  EXPECT_EQ(webhook.counters().waiting, 2U);
  run_until([&] { return webhook.counters().delivered == 2; });
  EXPECT_THAT(taken_, UnorderedElementsAre("3", "4"));
}

// Pauses of 10, 20, 40, 40 … ms: the clock gives only a lower bound.
TEST_F(WebhookTest, pauses_longer_after_each_failure) {
  listen();
  statuses_ = {503, 503, 503, 503, 503};
  const auto began = std::chrono::steady_clock::now();
  Webhook webhook{context_, options()};
  webhook.add("1");
  run_until([&] { return webhook.counters().delivered == 1; });
  EXPECT_GE(std::chrono::steady_clock::now() - began, 150ms);
}

TEST_F(WebhookTest, ends_with_what_waits) {
  listen();
  statuses_ = {503};
  auto chosen = options();
  chosen.first_pause = 1h;
  chosen.longest_pause = 1h;
  {
    Webhook webhook{context_, chosen};
    webhook.add("1");
    run_until([&] { return webhook.counters().failures == 1; });
  }
  service_->close();
  context_.run_for(2s);
  EXPECT_TRUE(context_.stopped()) << "nothing of the webhook goes on";
}

}  // namespace
}  // namespace fixkeep::net
