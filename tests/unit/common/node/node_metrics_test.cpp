#include "common/node/node_metrics.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace fixkeep::node {
namespace {

// The series of a page, without what explains them and without "fixkeep_".
std::string series(const obs::MetricsPage& page) {
  constexpr std::size_t prefix = std::string_view{"fixkeep_"}.size();
  std::istringstream lines{page.render()};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) text += line.substr(prefix) + '\n';
  }
  return text;
}

TEST(NodeMetrics, tell_of_each_listener_what_it_has) {
  const std::chrono::sys_seconds end{std::chrono::seconds{1'900'000'000}};
  const std::vector<ListenerFacts> listeners{
      {"players", 2, 3, {{200, 5}, {404, 1}}, {}, {}},
      {.listener = "operators", .responses = {}, .certificate_expires_at = end, .wrong_tokens = 0}};
  obs::MetricsPage page;
  add_listeners(listeners, page);
  EXPECT_EQ(series(page), R"(http_connections{listener="players"} 2
http_connections{listener="operators"} 0
http_connections_displaced_total{listener="players"} 3
http_connections_displaced_total{listener="operators"} 0
http_responses_total{listener="players",code="200"} 5
http_responses_total{listener="players",code="404"} 1
http_wrong_tokens_total{listener="operators"} 0
http_certificate_expiry_timestamp_seconds{listener="operators"} 1900000000
)");
}

TEST(NodeMetrics, of_operators_have_their_wrong_tokens) {
  boost::asio::io_context context{1};
  const auto listener = net::start_for_operators(context, {}, {});
  ASSERT_TRUE(listener);
  const auto facts = listener_facts(*listener);
  EXPECT_EQ(facts.listener, "operators");
  EXPECT_EQ(facts.wrong_tokens, 0U);
  EXPECT_FALSE(listener_facts("players", *listener->http).wrong_tokens);
}

TEST(NodeMetrics, tell_of_links_what_their_hub_counts) {
  const std::string counted = R"(link_frames_sent_total 1
link_frames_received_total 2
link_sent_bytes_total 3
link_received_bytes_total 4
link_writes_total 5
link_handshakes_failed_total 6
)";
  obs::MetricsPage plain;
  add_links({1, 2, 3, 4, 5, 6, 0}, plain);
  EXPECT_EQ(series(plain), counted) << "links that are plain have no certificate that ends";
  obs::MetricsPage secure;
  add_links({1, 2, 3, 4, 5, 6, 7}, secure);
  EXPECT_EQ(series(secure), "link_certificate_expiry_timestamp_seconds 7\n" + counted);
}

}  // namespace
}  // namespace fixkeep::node
