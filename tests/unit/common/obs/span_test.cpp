#include "common/obs/span.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace fixkeep::obs {
namespace {

using nlohmann::json;

Span some_span() {
  Span span;
  span.trace = {1, 0xabc};
  span.id = 2;
  span.parent = 3;
  span.name = "POST /v1/match";
  span.kind = SpanKind::server;
  span.begin = SpanTime{std::chrono::nanoseconds{1'763'705'700'000'000'001}};
  span.end = SpanTime{std::chrono::nanoseconds{1'763'705'701'000'000'002}};
  span.attributes = {{"text", "a \"b\"\n"}, {"number", std::int64_t{200}}};
  return span;
}

json attribute(const std::string& key, const json& value) {
  return {{"key", key}, {"value", value}};
}

TEST(OtlpJson, is_what_the_specification_wants) {
  const auto made = json::parse(
      to_otlp_json({"fixkeep-master", "m1", "0.1.0", "prod"}, std::vector{some_span()}));
  const json resource{
      {"attributes", json::array({attribute("service.name", {{"stringValue", "fixkeep-master"}}),
                                  attribute("service.namespace", {{"stringValue", "prod"}}),
                                  attribute("service.instance.id", {{"stringValue", "m1"}}),
                                  attribute("service.version", {{"stringValue", "0.1.0"}})})}};
  ASSERT_EQ(made.size(), 1U);
  const auto& of_resource = made.at("resourceSpans");
  ASSERT_EQ(of_resource.size(), 1U);
  EXPECT_EQ(of_resource[0].at("resource"), resource);
  const auto& of_scope = of_resource[0].at("scopeSpans");
  ASSERT_EQ(of_scope.size(), 1U);
  EXPECT_EQ(of_scope[0].at("scope"), (json{{"name", "fixkeep"}, {"version", "0.1.0"}}));
  const json span{{"traceId", "00000000000000010000000000000abc"},
                  {"spanId", "0000000000000002"},
                  {"parentSpanId", "0000000000000003"},
                  {"name", "POST /v1/match"},
                  {"kind", 2},
                  {"startTimeUnixNano", "1763705700000000001"},
                  {"endTimeUnixNano", "1763705701000000002"},
                  {"attributes", json::array({attribute("text", {{"stringValue", "a \"b\"\n"}}),
                                              attribute("number", {{"intValue", "200"}})})},
                  {"status", json::object()}};
  EXPECT_EQ(of_scope[0].at("spans"), json::array({span}));
}

TEST(OtlpJson, says_which_spans_failed_and_which_have_no_parent) {
  auto failed = some_span();
  failed.failed = true;
  failed.parent = 0;
  const auto made = json::parse(to_otlp_json({}, std::vector{failed, some_span()}));
  const auto& spans = made.at("resourceSpans")[0].at("scopeSpans")[0].at("spans");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].at("status"), (json{{"code", 2}}));
  EXPECT_FALSE(spans[0].contains("parentSpanId"));
  EXPECT_TRUE(spans[1].contains("parentSpanId"));
}

TEST(OtlpJson, stays_json_whatever_bytes_somebody_has_given) {
  auto span = some_span();
  span.attributes = {{"text", "\xff\xfe"}};
  const auto made = json::parse(to_otlp_json({}, std::vector{span}), nullptr, false);
  EXPECT_FALSE(made.is_discarded());
}

TEST(SpanIds, are_never_zero_and_differ) {
  SpanIds ids{0};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto trace = ids.trace();
    EXPECT_TRUE(trace.valid());
    EXPECT_NE(trace.low, 0U);
    seen.insert(ids.span());
  }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_FALSE(seen.contains(0));
}

}  // namespace
}  // namespace fixkeep::obs
