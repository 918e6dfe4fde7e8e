// What needs no connection, each line by itself (tables.txt): who is heard as an operator, which
// row a path finds, and what is read of an answer.
#include <gtest/gtest.h>

#include "common/base/base64.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/http/response_reader.hpp"
#include "common/net/http/routes.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::net {
namespace {

// "open METHOD | FIELD: VALUE | …" or, of a gate that has a token, "locked …"; {64:TEXT} is in
// base64.
std::string of_gate(const std::string& gate, std::string line) {
  if (const auto at = line.find("{64:"); at != std::string::npos) {
    const auto end = line.find('}', at);
    line.replace(at, end + 1 - at, to_base64(line.substr(at + 4, end - at - 4)));
  }
  const auto first = std::min(line.find(" | "), line.size());
  HttpRequest request{http::string_to_verb(line.substr(0, first)), "/v1/drain", 11};
  for (auto at = first; at < line.size();) {
    const auto end = std::min(line.find(" | ", at + 3), line.size());
    const auto field = line.substr(at + 3, end - at - 3);
    const auto colon = field.find(':');
    request.insert(field.substr(0, colon), field.substr(std::min(colon + 2, field.size())));
    at = end;
  }
  const auto refused = OperatorGate{gate == "open" ? "" : "sesame, sesame, sesame"}.refuse(request);
  if (!refused) return "heard";
  const auto& body = refused->answer.body;
  EXPECT_EQ(body.find("sesame"), std::string::npos);
  const std::string urn = "urn:fixkeep:error:";
  const auto at = body.find(urn) + urn.size();
  return std::to_string(refused->answer.status) + " " + body.substr(at, body.find('"', at) - at);
}

// "room [w1]" for a row with one parameter, "405 POST", "404".
std::string of_route(const std::string& line) {
  static const Routes<std::string> rows{{"POST", "/match", "match"},
                                        {"GET, HEAD", "/rooms", "rooms"},
                                        {"GET, HEAD", "/rooms/{room}", "room"},
                                        {"GET", "/groups/{group}/rooms/{room}", "of group"},
                                        {"POST", "/lists/{name}:add", "add"},
                                        {"PATCH", "/lists/{name}", "change"},
                                        {"GET", "/lists/{name}", "list"},
                                        {any_method, "/echo", "echo"}};
  const auto blank = line.rfind(' ');
  const std::string path = line.substr(blank + 1);
  const auto found = rows.find(line.substr(0, blank), path);
  if (found.handler == nullptr) {
    if (found.allow.empty()) EXPECT_EQ(found.parameters, PathParameters{});
    return found.allow.empty() ? "404" : "405 " + found.allow;
  }
  EXPECT_EQ(found.allow, "") << "the method is allowed";
  std::string text = *found.handler;
  for (const auto parameter : found.parameters) {
    if (parameter.data() != nullptr) text.append(" [").append(parameter).append("]");
  }
  return text;
}

// Whole, and byte by byte: the same comes of it. "answer …" goes on, "last …" ends with its
// connection.
std::string of_answer(const std::string& what, std::string text) {
  text = support::bytes_of(text);
  if (text.starts_with("OK ")) text.replace(0, 3, "HTTP/1.1 200 OK\r\n");
  if (text.starts_with("CHUNKS ")) {
    text.replace(0, 7, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  }
  std::string both;
  for (const std::size_t piece : {text.size() + 1, std::size_t{1}}) {
    HttpResponseReader reader{{.head_bytes = 200, .body_bytes = 20}};
    for (std::size_t at = 0; at < text.size(); at += piece) reader.put(text.substr(at, piece));
    if (what == "last") reader.put_end();
    std::string said = "not complete";
    if (reader.state() == HttpResponseReader::State::failed) said = reader.error().message();
    if (reader.state() == HttpResponseReader::State::complete) {
      said = std::to_string(reader.status()) + " [" + reader.body() + "]" +
             (reader.keep_alive() ? "" : ", then close");
    }
    EXPECT_TRUE(both.empty() || both == said) << text;
    both = said;
  }
  return both;
}

const bool tables =
    support::register_table("tests/unit/common/net/http/tables.txt", [](std::string_view line) {
      support::Words words{line};
      const auto what = words.next();
      if (what == "open" || what == "locked") return of_gate(what, words.rest());
      return what == "route" ? of_route(support::bytes_of(words.rest()))
                             : of_answer(what, words.rest());
    });

TEST(OperatorGateAnswer, tells_a_client_without_a_token_what_to_say) {
  const auto refused = OperatorGate{"sesame, sesame, sesame"}.refuse({});
  ASSERT_TRUE(refused);
  ASSERT_EQ(refused->answer.authenticate.size(), 2U);
  EXPECT_EQ(refused->answer.authenticate[0], R"(Bearer realm="fixkeep")");
  EXPECT_EQ(refused->answer.authenticate[1], R"(Basic realm="fixkeep", charset="UTF-8")");
  EXPECT_NE(refused->answer.body.find("Authorization: Bearer TOKEN"), std::string::npos);
}

TEST(RoutePattern, has_closed_braces_and_at_most_two_parameters_that_are_no_neighbours) {
  for (const char* wrong : {"/a/{b", "/{a}/{b}/{c}", "/{a}{b}"}) {
    EXPECT_DEATH(RoutePattern{wrong}, "assertion failed");
  }
}

TEST(SplitTarget, parts_path_and_query_at_the_first_question_mark) {
  EXPECT_EQ(split_target("/rooms").path, "/rooms");
  EXPECT_EQ(split_target("/rooms?").query, "");
  EXPECT_EQ(split_target("/rooms?a=b?c").path, "/rooms");
  EXPECT_EQ(split_target("/rooms?a=b?c").query, "a=b?c");
}

}  // namespace
}  // namespace fixkeep::net
