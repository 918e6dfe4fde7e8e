#include "master/http/match/match_spans.hpp"

#include <gmock/gmock.h>

namespace fixkeep::master {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;

constexpr TimePoint asked_at{1h};
const TraceContext of_client{{1, 2}, 3, true};

class MatchSpansTest : public ::testing::Test {
 protected:
  MatchSpans spans(double sample) {
    return MatchSpans{{.sink = [this](obs::Span&& span) { ended_.push_back(std::move(span)); },
                       .sample = sample,
                       .seed = 7}};
  }
  std::vector<obs::Span> ended_;
};

TEST_F(MatchSpansTest, a_request_with_a_trace_gets_a_child_of_its_clients_span) {
  MatchSpans made = spans(0);
  wire::RequestContext context{"r1", of_client};
  const auto open = made.begin(context, asked_at);
  ASSERT_TRUE(open);
  EXPECT_EQ(context.trace->trace, of_client.trace);
  EXPECT_NE(context.trace->span, of_client.span) << "what follows is a child of ours";
  const auto before = std::chrono::system_clock::now();
  made.end(*open, context,
           {.outcome = "seated", .status = 200, .ticket = "m1-7-1", .group = "duel"},
           asked_at + 2s);
  ASSERT_EQ(ended_.size(), 1U);
  const obs::Span& span = ended_[0];
  EXPECT_EQ(span.trace, of_client.trace);
  EXPECT_EQ(span.id, context.trace->span);
  EXPECT_EQ(span.parent, of_client.span);
  EXPECT_EQ(span.kind, obs::SpanKind::server);
  EXPECT_FALSE(span.failed);
  EXPECT_GE(span.end - span.begin, 2s - 100ms);
  EXPECT_LE(span.end - span.begin, 2s + 100ms) << "two readings of the clock";
  EXPECT_GE(span.end, before);
  using Attribute = std::pair<std::string, obs::Span::Value>;
  EXPECT_THAT(span.attributes, Contains(Attribute{"fixkeep.outcome", "seated"}));
  EXPECT_THAT(span.attributes, Contains(Attribute{"fixkeep.request_id", "r1"}));
  EXPECT_THAT(span.attributes, Contains(Attribute{"fixkeep.ticket", "m1-7-1"}));
  EXPECT_THAT(span.attributes, Contains(Attribute{"fixkeep.group", "duel"}));
  EXPECT_THAT(span.attributes, Contains(Attribute{"http.response.status_code", std::int64_t{200}}));
}

TEST_F(MatchSpansTest, only_what_is_the_servers_fault_has_failed) {
  MatchSpans made = spans(1);
  for (const unsigned status : {0U, 400U, 429U, 503U}) {
    wire::RequestContext context;
    const auto open = made.begin(context, asked_at);
    made.end(open.value(), context, {.outcome = "x", .status = status, .ticket = "t"}, asked_at);
    EXPECT_EQ(ended_.back().failed, status == 503) << status;
  }
}

TEST_F(MatchSpansTest, a_client_decides_whether_its_trace_is_sampled) {
  MatchSpans made = spans(1);
  wire::RequestContext context{"", of_client};
  context.trace->sampled = false;
  const auto before = context;
  EXPECT_FALSE(made.begin(context, asked_at));
  EXPECT_EQ(context, before) << "it is passed on as it came";
}

TEST_F(MatchSpansTest, of_the_other_requests_a_share_begins_a_trace) {
  MatchSpans made = spans(0.25);
  int begun = 0;
  for (int i = 0; i < 4000; ++i) {
    wire::RequestContext context;
    const auto open = made.begin(context, asked_at);
    EXPECT_EQ(open.has_value(), context.trace.has_value());
    if (!open) continue;
    ++begun;
    EXPECT_EQ(open->parent, 0U);
    EXPECT_TRUE(context.trace->valid());
    EXPECT_TRUE(context.trace->sampled);
  }
  EXPECT_NEAR(begun, 1000, 150);
}

TEST_F(MatchSpansTest, without_a_sink_nothing_begins_and_the_trace_is_passed_on) {
  MatchSpans made{{}};
  wire::RequestContext none;
  EXPECT_FALSE(made.begin(none, asked_at));
  EXPECT_TRUE(none.empty());
  wire::RequestContext context{"r1", of_client};
  EXPECT_FALSE(made.begin(context, asked_at));
  EXPECT_EQ(context, (wire::RequestContext{"r1", of_client}));
}

}  // namespace
}  // namespace fixkeep::master
