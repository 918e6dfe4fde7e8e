#include "common/net/http/operators.hpp"

#include <gmock/gmock.h>

#include "common/base/base64.hpp"

namespace fixkeep::net {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

HttpRequest request_with(const Fields& fields, http::verb method = http::verb::post) {
  HttpRequest request{method, "/v1/drain", 11};
  for (const auto& [name, value] : fields) request.insert(name, value);
  return request;
}

// "200", or "401 wrong-token".
std::string verdict(const OperatorGate& gate, const Fields& fields,
                    http::verb method = http::verb::post) {
  const auto refused = gate.refuse(request_with(fields, method));
  if (!refused) return "200";
  const auto& [status, body] = std::pair{refused->answer.status, refused->answer.body};
  const std::string urn = "urn:fixkeep:error:";
  const auto at = body.find(urn) + urn.size();
  return std::to_string(status) + " " + body.substr(at, body.find('"', at) - at);
}

TEST(OperatorGate, with_a_token_wants_it_whoever_asks) {
  const OperatorGate gate{"sesame, sesame, sesame"};
  const auto said = [&](const std::string& text) {
    return verdict(gate, {{"Host", "127.0.0.1:8181"}, {"Authorization", text}});
  };
  EXPECT_EQ(said("Bearer sesame, sesame, sesame"), "200");
  EXPECT_EQ(said("bearer sesame, sesame, sesame"), "200") << "RFC 9110, 11.1";
  for (const char* wrong :
       {"Bearer sesame", "Bearer sesame, sesame, sesamf", "Bearer  sesame, sesame, sesame"}) {
    EXPECT_EQ(said(wrong), "401 wrong-token") << wrong;
  }
  for (const char* none : {"", "Bearer", "Basic", "Basic c2VzYW1l", "sesame, sesame, sesame"}) {
    EXPECT_EQ(said(none), "401 token-needed") << none;
  }
  EXPECT_EQ(verdict(gate, {{"Host", "localhost"}}), "401 token-needed");
  EXPECT_EQ(verdict(gate, {{"Host", "evil.example"},
                           {"Origin", "https://evil.example"},
                           {"Authorization", "Bearer sesame, sesame, sesame"}}),
            "200")
      << "no page of a stranger knows it";
}

TEST(OperatorGate, takes_the_token_as_the_password_that_a_browser_asks_for) {
  const OperatorGate gate{"sesame, sesame, sesame"};
  const auto said = [&](const std::string& pair, const std::string& origin = "") {
    Fields fields{{"Host", "m1.example:8181"}, {"Authorization", "basic " + to_base64(pair)}};
    if (!origin.empty()) fields.emplace_back("Origin", origin);
    return verdict(gate, fields);
  };
  EXPECT_EQ(said("ann:sesame, sesame, sesame"), "200");
  EXPECT_EQ(said(":sesame, sesame, sesame"), "200");
  EXPECT_EQ(said("ann:sesame"), "401 wrong-token");
  EXPECT_EQ(said("sesame, sesame, sesame:"), "401 wrong-token");
  EXPECT_EQ(said("sesame, sesame, sesame"), "401 token-needed") << "no colon";
  EXPECT_EQ(said("ann:sesame, sesame, sesame", "https://m1.example:8181"), "200");
  EXPECT_EQ(said("ann:sesame, sesame, sesame", "https://evil.example"), "403 foreign-page")
      << "a browser adds the password to whatever a page asks";
}

TEST(OperatorGate, tells_a_client_without_a_token_what_to_say) {
  const auto refused = OperatorGate{"sesame, sesame, sesame"}.refuse(request_with({}));
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->answer.authenticate,
              testing::ElementsAre(R"(Bearer realm="fixkeep")",
                                   R"(Basic realm="fixkeep", charset="UTF-8")"));
  EXPECT_THAT(refused->answer.body, testing::HasSubstr("Authorization: Bearer TOKEN"));
  EXPECT_THAT(refused->answer.body, testing::Not(testing::HasSubstr("sesame")));
}

TEST(OperatorGate, without_a_token_is_open_to_this_machine_and_not_to_pages_of_others) {
  const OperatorGate gate{""};
  for (const char* host : {"127.0.0.1:8181", "localhost", "LOCALHOST:8181", "[::1]:8181"}) {
    EXPECT_EQ(verdict(gate, {{"Host", host}}), "200") << host;
  }
  for (const char* host :
       {"evil.example", "evil.example:8181", "127.0.0.1.evil.example", "", "["}) {
    EXPECT_EQ(verdict(gate, {{"Host", host}}), "403 foreign-page") << host;
  }
  EXPECT_EQ(verdict(gate, {}), "403 foreign-page");
  const auto from = [&](const std::string& origin) {
    return verdict(gate, {{"Host", "127.0.0.1:8181"}, {"Origin", origin}});
  };
  EXPECT_EQ(from("http://127.0.0.1:8181"), "200") << "a page that this listener has";
  for (const char* origin : {"https://evil.example", "http://127.0.0.1:8190", "http://127.0.0.1",
                             "http://localhost:8181", "null", ""}) {
    EXPECT_EQ(from(origin), "403 foreign-page") << origin;
  }
}

// A browser that names no origin with it may still say whose page asks (Fetch Metadata).
TEST(OperatorGate, lets_a_page_of_another_site_change_nothing) {
  const std::string password = "Basic " + to_base64(":sesame, sesame, sesame");
  const OperatorGate open{""};
  const OperatorGate locked{"sesame, sesame, sesame"};
  for (const auto* gate : {&open, &locked}) {
    const auto from = [&](const std::string& site, http::verb method) {
      return verdict(
          *gate,
          {{"Host", "127.0.0.1:8181"}, {"Authorization", password}, {"Sec-Fetch-Site", site}},
          method);
    };
    for (const auto method : {http::verb::post, http::verb::put, http::verb::delete_}) {
      EXPECT_EQ(from("same-origin", method), "200");
      EXPECT_EQ(from("none", method), "200") << "a person typed it";
      for (const char* site : {"cross-site", "same-site", ""}) {
        EXPECT_EQ(from(site, method), "403 foreign-page") << site;
      }
    }
    for (const auto method : {http::verb::get, http::verb::head}) {
      EXPECT_EQ(from("cross-site", method), "200") << "a link to the dashboard";
    }
  }
  EXPECT_EQ(verdict(locked, {{"Authorization", "Bearer sesame, sesame, sesame"},
                             {"Sec-Fetch-Site", "cross-site"}}),
            "200")
      << "no page of a stranger knows it";
}

}  // namespace
}  // namespace fixkeep::net
