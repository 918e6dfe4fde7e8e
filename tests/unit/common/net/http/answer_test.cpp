#include "common/net/http/answer.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

TEST(Problem, is_json_whatever_the_detail_holds) {
  const auto answer = problem(422, "unknown-mode", "Unknown mode", "no \"mode\"\n\xff\x01");
  EXPECT_EQ(answer.status, 422U);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  const auto body = nlohmann::json::parse(answer.body);
  EXPECT_EQ(body["type"], "urn:fixkeep:error:unknown-mode");
  EXPECT_EQ(body["title"], "Unknown mode");
  EXPECT_EQ(body["status"], 422);
  EXPECT_EQ(body["detail"], "no \"mode\"\n\xef\xbf\xbd\x01");
}

TEST(WriteAnswer, writes_the_fields_that_apply) {
  HttpAnswer busy = text("busy");
  busy.status = 429;
  busy.retry_after_seconds = 2;
  std::string out = "what was there before";
  write_answer(busy, {.date = "D"}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 429 Too Many Requests\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Content-Length: 4\r\nRetry-After: 2\r\n\r\nbusy");

  HttpAnswer wrong_method = text("");
  wrong_method.status = 405;
  wrong_method.allow = "GET, HEAD";
  write_answer(wrong_method, {.date = "D", .keep_alive = false}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 405 Method Not Allowed\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Content-Length: 0\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n");

  HttpAnswer stranger = text("");
  stranger.status = 401;
  stranger.authenticate = {"Bearer", "Basic"};
  write_answer(stranger, {.date = "D"}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 401 Unauthorized\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Content-Length: 0\r\nWWW-Authenticate: Bearer\r\nWWW-Authenticate: Basic\r\n\r\n");

  HttpAnswer nothing;
  nothing.status = 204;
  write_answer(nothing, {.date = "D"}, out);
  EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
  nothing.fields = "\r\nA: a";
  write_answer(nothing, {.date = "D", .fields = "\r\nB: b\r\nC: c"}, out);
  EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\nDate: D\r\nA: a\r\nB: b\r\nC: c\r\n\r\n");
}

}  // namespace
}  // namespace fixkeep::net::test
