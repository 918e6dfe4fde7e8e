// Calls of operators that a master carries to its workers. The io_context is real, the link is not.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <thread>

#include "master/http/operate/worker_calls.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

const WorkerId w1{"w1"};
const WorkerId w2{"w2"};

// A server whose every request is a call of w1. Its loop runs on another thread; what the test does
// with the calls is done there as well.
class WorkerCallsTest : public ::testing::Test {
 protected:
  WorkerCallsTest() {
    calls_ = WorkerCalls::start(context_,
                                [this](const WorkerId&, wire::OperatorCall&& call) {
                                  if (!linked_) return false;
                                  sent_ = std::move(call);
                                  return true;
                                },
                                {.calls_most = 2, .patience = milliseconds{300}});
    auto server = net::HttpServer::start(
        context_, {}, [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
          const auto act = act_;  // before an answer lets the test set the next
          calls_->ask(w1, {.target = std::string{request.target()}, .body = {}}, responder);
          if (act) act();
        });
    server_ = std::move(*server);
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~WorkerCallsTest() override {
    boost::asio::post(context_, [this] {
      calls_->stop();
      server_->close();
      work_.reset();
    });
    thread_.join();
  }

  std::string ask(const std::string& target = "/x") {
    net::test::Client client{server_->port()};
    client.send("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.read_answer();
  }
  static bool has(const std::string& answer, const std::string& what) {
    return answer.find(what) != std::string::npos;
  }

  boost::asio::io_context context_{1};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{
      context_.get_executor()};
  std::shared_ptr<WorkerCalls> calls_;
  std::unique_ptr<net::HttpServer> server_;
  bool linked_ = true;
  wire::OperatorCall sent_;
  std::function<void()> act_;  // when a call was sent
  std::thread thread_;
};

TEST_F(WorkerCallsTest, pass_on_what_the_worker_answers) {
  act_ = [this] {
    calls_->answered(w1, {sent_.request, 202, wire::AnswerForm::json, R"({"rooms":3})"});
  };
  const auto answer = ask("/v1/drain");
  EXPECT_EQ(sent_.target, "/v1/drain");
  EXPECT_TRUE(has(answer, "HTTP/1.1 202 ")) << answer;
  EXPECT_TRUE(has(answer, "Content-Type: application/json\r\n")) << answer;
  EXPECT_TRUE(has(answer, R"({"rooms":3})")) << answer;
  act_ = [this] { calls_->answered(w1, {sent_.request, 200, wire::AnswerForm::text, "hello"}); };
  EXPECT_TRUE(has(ask(), "Content-Type: text/plain; charset=utf-8\r\n"));
}

TEST_F(WorkerCallsTest, take_an_answer_only_from_the_worker_that_was_asked_and_only_once) {
  act_ = [this] {
    calls_->answered(w2, {sent_.request, 200, wire::AnswerForm::text, "a lie"});
    calls_->answered(w1, {sent_.request + 1, 200, wire::AnswerForm::text, "of nothing"});
    calls_->answered(w1, {sent_.request, 200, wire::AnswerForm::text, "the truth"});
    calls_->answered(w1, {sent_.request, 200, wire::AnswerForm::text, "again"});
  };
  EXPECT_TRUE(has(ask(), "the truth"));
}

TEST_F(WorkerCallsTest, say_that_a_worker_is_away_or_has_gone) {
  linked_ = false;
  EXPECT_TRUE(has(ask(), "urn:fixkeep:error:worker-away"));
  linked_ = true;
  act_ = [this] {
    calls_->gone(w2);
    calls_->gone(w1);
  };
  const auto answer = ask();
  EXPECT_TRUE(has(answer, "HTTP/1.1 503 ")) << answer;
  EXPECT_TRUE(has(answer, "urn:fixkeep:error:worker-away")) << answer;
}

TEST_F(WorkerCallsTest, wait_no_longer_than_their_patience) {
  const auto answer = ask();
  EXPECT_TRUE(has(answer, "HTTP/1.1 504 ")) << answer;
  EXPECT_TRUE(has(answer, "urn:fixkeep:error:worker-silent")) << answer;
}

TEST_F(WorkerCallsTest, are_bounded) {
  net::test::Client first{server_->port()};
  net::test::Client second{server_->port()};
  for (auto* client : {&first, &second}) client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  std::string refused;
  for (int tries = 0; tries < 50 && !has(refused, "too-many-calls"); ++tries) refused = ask();
  EXPECT_TRUE(has(refused, "HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(has(refused, "Retry-After: 1\r\n")) << refused;
}

}  // namespace
}  // namespace fixkeep::master
