#include "common/net/http/cross_origin.hpp"

#include <gmock/gmock.h>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A client of a server that pages of these origins may ask.
class CrossOriginTest : public testing::Test {
 protected:
  void allow(const std::vector<std::string>& origins) {
    client_.reset();
    server_.emplace(echo, HttpOptions{.allowed_origins = origins});
    client_.emplace(server_->port());
  }
  std::string ask(const std::string& method, const std::string& fields) {
    client_->send(method + " /v1/match HTTP/1.1\r\nHost: m\r\nContent-Length: 0\r\n" + fields +
                  "\r\n");
    return client_->read_answer();
  }
  // As a browser asks for leave to send JSON.
  std::string ask_for_leave(const std::string& origin) {
    client_->send("OPTIONS /v1/match HTTP/1.1\r\nHost: m\r\nOrigin: " + origin +
                  "\r\nAccess-Control-Request-Method: POST\r\n"
                  "Access-Control-Request-Headers: content-type\r\n\r\n");
    return client_->read_answer();
  }

 private:
  std::optional<RunningServer> server_;
  std::optional<Client> client_;
};

TEST_F(CrossOriginTest, nobody_is_allowed_unless_it_is_configured) {
  allow({});
  EXPECT_THAT(ask("POST", "Origin: https://play.example\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), Not(HasSubstr("Access-Control")),
                    Not(HasSubstr("Vary"))));
  EXPECT_THAT(ask_for_leave("https://play.example"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), Not(HasSubstr("Access-Control")),
                    EndsWith("OPTIONS /v1/match ")))
      << "it is a request as any other";
}

TEST_F(CrossOriginTest, a_page_of_an_allowed_origin_gets_leave_and_sees_the_answer) {
  allow({"https://play.example", "http://127.0.0.1:8000"});
  EXPECT_THAT(ask_for_leave("https://play.example"),
              AllOf(StartsWith("HTTP/1.1 204 No Content\r\n"), HasSubstr("\r\nVary: Origin\r\n"),
                    HasSubstr("\r\nAccess-Control-Allow-Origin: https://play.example\r\n"),
                    HasSubstr("\r\nAccess-Control-Allow-Methods: GET, HEAD, POST\r\n"),
                    HasSubstr("\r\nAccess-Control-Allow-Headers: Content-Type, "),
                    HasSubstr("\r\nAccess-Control-Max-Age: 7200\r\n")));
  EXPECT_THAT(ask("POST", "Origin: http://127.0.0.1:8000\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nVary: Origin\r\n"),
                    HasSubstr("\r\nAccess-Control-Allow-Origin: http://127.0.0.1:8000\r\n"),
                    HasSubstr("\r\nAccess-Control-Expose-Headers: Retry-After, X-Request-Id\r\n"),
                    Not(HasSubstr("Allow-Credentials")), EndsWith("POST /v1/match ")));
}

TEST_F(CrossOriginTest, another_origin_is_told_nothing_and_the_connection_remembers_none) {
  allow({"https://play.example"});
  EXPECT_THAT(ask("POST", "Origin: https://play.example\r\n"),
              HasSubstr("Access-Control-Allow-Origin: https://play.example\r\n"));
  for (const std::string other : {"https://play.example.evil.example", "https://evil.example",
                                  "http://play.example", "https://play.example:444",
                                  "https://PLAY.example", "null", "*", "https://play.exampl", ""}) {
    EXPECT_THAT(ask("POST", "Origin: " + other + "\r\n"),
                AllOf(HasSubstr("\r\nVary: Origin\r\n"), Not(HasSubstr("Access-Control"))))
        << other;
    EXPECT_THAT(ask_for_leave(other),
                AllOf(EndsWith("OPTIONS /v1/match "), Not(HasSubstr("Access-Control"))))
        << other;
  }
  EXPECT_THAT(ask("POST", ""),
              AllOf(HasSubstr("\r\nVary: Origin\r\n"), Not(HasSubstr("Access-Control"))));
}

TEST_F(CrossOriginTest, a_star_stands_for_every_origin) {
  allow({"https://play.example", "*"});
  for (const std::string origin : {"https://other.example", "null"}) {
    EXPECT_THAT(ask_for_leave(origin), AllOf(StartsWith("HTTP/1.1 204 "),
                                             HasSubstr("Access-Control-Allow-Origin: *\r\n")));
    EXPECT_THAT(ask("POST", "Origin: " + origin + "\r\n"),
                HasSubstr("Access-Control-Allow-Origin: *\r\n"));
  }
}

TEST_F(CrossOriginTest, only_a_preflight_is_answered_for_the_handler) {
  allow({"*"});
  EXPECT_THAT(ask("OPTIONS", "Origin: https://a.example\r\n"), EndsWith("OPTIONS /v1/match "));
  EXPECT_THAT(ask("OPTIONS", "Access-Control-Request-Method: POST\r\n"),
              EndsWith("OPTIONS /v1/match "));
  EXPECT_THAT(ask("GET", "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n"),
              EndsWith("GET /v1/match "));
}

}  // namespace
}  // namespace fixkeep::net::test
