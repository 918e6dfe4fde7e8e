// What the page of a race answers, without a socket, and whom it does not let in.
#include "lab/race/page.hpp"

#include <gtest/gtest.h>

#include "lab/race/guard.hpp"

namespace fixkeep::client_sim {
namespace {

namespace http = net::http;

class RacePage : public ::testing::Test {
 protected:
  net::HttpAnswer get(const std::string& target, const std::string& host = "127.0.0.1:8090") {
    net::HttpRequest request{http::verb::get, target, 11};
    request.set(http::field::host, host);
    return answer_page(request, desk_);
  }

  net::HttpAnswer post(const std::string& body, const std::string& origin = {},
                       const std::string& content_type = "application/json") {
    net::HttpRequest request{http::verb::post, "/settings", 11, body};
    request.set(http::field::host, "127.0.0.1:8090");
    request.set(http::field::content_type, content_type);
    if (!origin.empty()) request.set(http::field::origin, origin);
    return answer_page(request, desk_);
  }

  std::vector<std::string> changes_;
  RaceDesk desk_{.state = [] { return std::string{"the state"}; },
                 .change = [this](std::string_view body) -> std::optional<SettingsMistake> {
                   if (body == "wrong") return SettingsMistake{"invalid-json", "No", "not JSON"};
                   changes_.emplace_back(body);
                   return {};
                 }};
};

TEST_F(RacePage, has_its_parts_in_itself) {
  const auto page = get("/");
  EXPECT_EQ(page.status, 200U);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  for (const auto* part : {"race.css", "race.js"}) {
    EXPECT_NE(page.body.find(part), std::string::npos) << part;
    EXPECT_EQ(get(std::string{"/"} + part).status, 200U) << part;
  }
  EXPECT_EQ(page.body.find("http://"), std::string::npos) << "it needs no network";
  EXPECT_EQ(get("/state").body, "the state");
}

TEST_F(RacePage, changes_the_settings_or_says_what_is_wrong) {
  const auto good = post("{}");
  EXPECT_EQ(good.status, 200U);
  EXPECT_EQ(good.body, "the state");
  const auto wrong = post("wrong");
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_EQ(wrong.content_type, "application/problem+json");
  EXPECT_NE(wrong.body.find("urn:fixkeep:error:invalid-json"), std::string::npos);
  EXPECT_EQ(changes_, std::vector<std::string>{"{}"});
}

TEST_F(RacePage, says_where_there_is_nothing) {
  EXPECT_EQ(get("/favicon.ico").status, 404U);
  const auto wrong_method = get("/settings");
  EXPECT_EQ(wrong_method.status, 405U);
  EXPECT_EQ(wrong_method.allow, "POST");
}

TEST_F(RacePage, cannot_be_driven_by_a_page_of_another_site) {
  EXPECT_EQ(post("{}", "http://127.0.0.1:8090").status, 200U);
  EXPECT_EQ(post("{}", "http://127.0.0.1:9999").status, 403U);
  EXPECT_EQ(post("{}", "https://127.0.0.1:8090").status, 403U);
  EXPECT_EQ(post("{}", "null").status, 403U) << "a sandboxed frame, or a file";
  EXPECT_EQ(post("{}", {}, "text/plain").status, 403U) << "what a form may send unasked";
  EXPECT_EQ(post("{}", {}, "application/json; charset=utf-8").status, 200U);
  EXPECT_EQ(changes_.size(), 2U);
}

TEST_F(RacePage, is_not_found_under_the_name_of_another_site) {
  for (const auto* host :
       {"localhost:8090", "LOCALHOST", "127.0.0.1", "192.168.1.5:8090", "[::1]:8090", "[::1]"}) {
    EXPECT_EQ(get("/state", host).status, 200U) << host;
  }
  for (const auto* host : {"", "example.org", "example.org:8090", "127.0.0.1.example.org",
                           "localhost.example.org", "[::1", "[example.org]:8090"}) {
    EXPECT_EQ(get("/state", host).status, 403U) << host;
  }
}

TEST(RequestGuard, asks_for_json_only_where_something_changes) {
  EXPECT_EQ(why_not_let_in({.host = "localhost"}), "");
  EXPECT_NE(why_not_let_in({.host = "localhost", .changes = true}), "");
}

}  // namespace
}  // namespace fixkeep::client_sim
