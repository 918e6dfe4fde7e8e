// Spans on their way to a collector: a real HTTP server, on the same loop.
#include "common/net/otlp/exporter.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "common/net/http/server.hpp"
#include "tests/unit/common/net/http/hostile_server.hpp"

namespace fixkeep::net {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

obs::Span named(const std::string& name) {
  obs::Span span;
  span.trace = {1, 2};
  span.id = 3;
  span.name = name;
  return span;
}

std::vector<std::string> names_in(const std::string& body) {
  std::vector<std::string> names;
  const auto request = json::parse(body);
  for (const auto& span : request.at("resourceSpans")[0].at("scopeSpans")[0].at("spans")) {
    names.push_back(span.at("name"));
  }
  return names;
}

class OtlpExporterTest : public ::testing::Test {
 protected:
  void listen(std::uint16_t port = 0) {
    HttpOptions options;
    options.port = port;
    collector_ =
        HttpServer::start(context_, options,
                          [this](HttpRequest&& request, const HttpResponder& responder) {
                            heads_.push_back(std::string{request.method_string()} + " " +
                                             std::string{request.target()} + " " +
                                             std::string{request[http::field::content_type]});
                            bodies_.push_back(request.body());
                            unsigned status = 200;
                            if (!statuses_.empty()) {
                              status = statuses_.front();
                              statuses_.pop_front();
                            }
                            if (status == 0) return kept_.push_back(responder);
                            responder.answer({.status = status, .body = "{}"});
                          })
            .value();
  }
  OtlpOptions options() {
    OtlpOptions made;
    made.endpoint = {false, "127.0.0.1", collector_ ? collector_->port() : std::uint16_t{1},
                     "/v1/traces"};
    made.source = {"fixkeep-master", "m1", "1", "test"};
    made.batch_every = 20ms;
    made.first_pause = 10ms;
    made.time_limit = 2000ms;
    return made;
  }
  void run_until(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < limit) context_.run_one_for(50ms);
    EXPECT_TRUE(condition());
  }
  void finish(OtlpExporter& exporter) {
    exporter.stop(500ms);
    kept_.clear();
    if (collector_) collector_->close();
    context_.run_for(2s);
    EXPECT_TRUE(context_.stopped()) << "nothing of the exporter goes on";
  }

  boost::asio::io_context context_{1};
  std::unique_ptr<HttpServer> collector_;
  std::vector<std::string> heads_;
  std::vector<std::string> bodies_;
  std::deque<unsigned> statuses_;  // of the next answers; 0: there is none; then 200
  std::vector<HttpResponder> kept_;
};

TEST_F(OtlpExporterTest, sends_what_has_collected_in_one_request) {
  listen();
  OtlpExporter exporter{context_, options()};
  exporter.add(named("a"));
  exporter.add(named("b"));
  run_until([&] { return exporter.counters().exported == 2; });
  EXPECT_THAT(heads_, ElementsAre("POST /v1/traces application/json"));
  ASSERT_EQ(bodies_.size(), 1U);
  EXPECT_THAT(names_in(bodies_[0]), ElementsAre("a", "b"));
  finish(exporter);
}

TEST_F(OtlpExporterTest, sends_a_full_batch_at_once_and_keeps_its_connection) {
  listen();
  auto chosen = options();
  chosen.batch = 2;
  chosen.batch_every = 1h;
  OtlpExporter exporter{context_, chosen};
  context_.run_for(10ms);  // it waits for spans
  for (int i = 0; i < 4; ++i) exporter.add(named("a"));
  run_until([&] { return exporter.counters().exported == 4; });
  EXPECT_EQ(bodies_.size(), 2U);
  EXPECT_EQ(collector_->connections(), 1U);
  finish(exporter);
}

TEST_F(OtlpExporterTest, tries_again_while_the_collector_is_busy) {
  listen();
  statuses_ = {503, 429};
  OtlpExporter exporter{context_, options()};
  exporter.add(named("a"));
  run_until([&] { return exporter.counters().exported == 1; });
  EXPECT_EQ(bodies_.size(), 3U);
  EXPECT_EQ(bodies_[0], bodies_[2]);
  EXPECT_EQ(exporter.counters().dropped_by_collector, 0U);
  finish(exporter);
}

TEST_F(OtlpExporterTest, gives_up_after_some_attempts_and_goes_on_with_what_comes_next) {
  listen();
  statuses_ = {503, 503, 503, 503};
  OtlpExporter exporter{context_, options()};
  exporter.add(named("a"));
  run_until([&] { return exporter.counters().dropped_by_collector == 1; });
  EXPECT_EQ(bodies_.size(), 4U);
  exporter.add(named("b"));
  run_until([&] { return exporter.counters().exported == 1; });
  EXPECT_THAT(names_in(bodies_.back()), ElementsAre("b"));
  finish(exporter);
}

TEST_F(OtlpExporterTest, does_not_repeat_what_the_collector_refuses) {
  listen();
  statuses_ = {400};
  OtlpExporter exporter{context_, options()};
  exporter.add(named("a"));
  run_until([&] { return exporter.counters().dropped_by_collector == 1; });
  EXPECT_EQ(bodies_.size(), 1U);
  finish(exporter);
}

TEST_F(OtlpExporterTest, finds_a_collector_that_comes_later) {
  listen();
  auto chosen = options();
  chosen.attempts = 1000;
  collector_->close();
  collector_.reset();
  OtlpExporter exporter{context_, chosen};
  exporter.add(named("a"));
  context_.run_for(50ms);
  EXPECT_THAT(bodies_, IsEmpty());
  listen(chosen.endpoint.port);
  run_until([&] { return exporter.counters().exported == 1; });
  finish(exporter);
}

TEST_F(OtlpExporterTest, loses_the_oldest_when_too_many_wait_and_counts_them) {
  listen();
  auto chosen = options();
  chosen.queue = 2;
  OtlpExporter exporter{context_, chosen};
  for (const char* name : {"a", "b", "c", "d"}) exporter.add(named(name));
  EXPECT_EQ(exporter.counters().dropped_queue_full, 2U);
  run_until([&] { return exporter.counters().exported == 2; });
  EXPECT_THAT(names_in(bodies_.at(0)), ElementsAre("c", "d"));
  finish(exporter);
}

TEST_F(OtlpExporterTest, sends_what_waits_when_it_stops) {
  listen();
  auto chosen = options();
  chosen.batch_every = 1h;
  OtlpExporter exporter{context_, chosen};
  context_.run_for(10ms);
  exporter.add(named("a"));
  exporter.stop(2s);
  run_until([&] { return exporter.counters().exported == 1; });
  exporter.add(named("b"));
  finish(exporter);
  EXPECT_EQ(bodies_.size(), 1U);
}

TEST_F(OtlpExporterTest, ends_in_time_with_a_collector_that_does_not_answer) {
  listen();
  statuses_ = {0, 0, 0};
  OtlpExporter exporter{context_, options()};
  exporter.add(named("a"));
  run_until([&] { return !bodies_.empty(); });
  exporter.add(named("b"));
  exporter.stop(200ms);
  run_until([&] { return exporter.counters().dropped_by_collector == 2; });
  finish(exporter);
}

// A chunk extension without an end, as fast as it is read.
TEST_F(OtlpExporterTest, a_collector_that_answers_without_an_end_costs_little) {
  const HostileServer hostile{
      context_,
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", std::string(64U << 10U, 'x')}};
  auto chosen = options();
  chosen.endpoint = {false, "127.0.0.1", hostile.port(), "/v1/traces"};
  OtlpExporter exporter{context_, chosen};
  exporter.add(named("a"));
  run_until([&] { return exporter.counters().dropped_by_collector == 1; });
  EXPECT_EQ(hostile.connections(), 4) << "one a try";
  exporter.stop(0ms);
}

TEST_F(OtlpExporterTest, may_go_at_any_time) {
  listen();
  statuses_ = {0};
  {
    OtlpExporter exporter{context_, options()};
    exporter.add(named("a"));
    run_until([&] { return !bodies_.empty(); });
  }
  collector_->close();
  kept_.clear();
  context_.run_for(2s);
  EXPECT_TRUE(context_.stopped());
}

TEST(OtlpEndpoint, is_an_address_and_a_path_in_plain_http) {
  EXPECT_EQ(parse_otlp_endpoint("http://127.0.0.1:4318/v1/traces"),
            (HttpUrl{false, "127.0.0.1", 4318, "/v1/traces"}));
  EXPECT_EQ(parse_otlp_endpoint("http://[::1]:4318/"), (HttpUrl{false, "::1", 4318, "/"}));
  EXPECT_EQ(parse_otlp_endpoint("http://collector.example:80/a?b=c"),
            (HttpUrl{false, "collector.example", 80, "/a?b=c"}));
  for (const char* wrong :
       {"", "127.0.0.1:4318/v1/traces", "https://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318",
        "http://127.0.0.1/v1/traces", "http://:4318/v1/traces", "http://127.0.0.1:0/v1/traces",
        "http://127.0.0.1:4318/v1/ traces", "http://127.0.0.1:4318/\r\nHost: x",
        "http://127.0.0.1:99999/v1/traces"}) {
    EXPECT_FALSE(parse_otlp_endpoint(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fixkeep::net
