#include "common/obs/metrics.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <ctime>

#include "common/obs/version.hpp"

namespace fixkeep::obs {
namespace {

using ::testing::HasSubstr;

TEST(MetricsPage, is_in_the_text_format_of_prometheus) {
  MetricsPage page;
  page.counter("requests", "Match requests.", 3, {{"outcome", "seated"}});
  page.counter("requests", "Match requests.", 1, {{"outcome", "a \"quoted\"\nword"}});
  page.gauge("waiting", "Requests that wait.", 2.5);
  const auto text = page.render();
  EXPECT_THAT(text, HasSubstr("# HELP fixkeep_requests_total Match requests.\n"
                              "# TYPE fixkeep_requests_total counter\n"
                              "fixkeep_requests_total{outcome=\"seated\"} 3\n"
                              "fixkeep_requests_total{outcome=\"a \\\"quoted\\\"\\nword\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE fixkeep_waiting gauge\nfixkeep_waiting 2.5\n"));
}

TEST(MetricsPage, shows_histograms_with_their_sum) {
  using std::chrono::microseconds;
  DurationHistogram waits;
  for (int i = 0; i < 4; ++i) waits.add(microseconds{3});
  waits.add(microseconds{1000});
  waits.add(std::chrono::seconds{100});
  MetricsPage page;
  page.histogram("wait", "Waits.", waits);
  const auto text = page.render();
  EXPECT_THAT(text, HasSubstr("# TYPE fixkeep_wait_seconds histogram\n"
                              "fixkeep_wait_seconds_count 6\n"
                              "fixkeep_wait_seconds_sum 100.001012"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"2e-06\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"4e-06\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.001024\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"67.108864\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"+Inf\"} 6\n"));
}

// The value of a series without labels.
double value_of(const std::string& page, const std::string& series) {
  const auto at = page.find("\n" + series + " ");
  if (at == std::string::npos) return -1;
  return std::stod(page.substr(at + series.size() + 2));
}

TEST(MetricsPage, knows_the_process_by_the_names_that_prometheus_has_for_it) {
  MetricsPage page;
  page.process();
  const auto text = page.render();
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds_total counter\n"));
  EXPECT_GE(value_of(text, "process_cpu_seconds_total"), 0);
  EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 100'000);
  EXPECT_GE(value_of(text, "process_open_fds"), 3);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(value_of(text, "process_max_fds"), static_cast<double>(limit.rlim_cur));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("fixkeep_process")));
}

TEST(MetricsPage, knows_when_the_process_started) {
  MetricsPage page;
  page.process();
  const auto started = value_of(page.render(), "process_start_time_seconds");
  const auto now = static_cast<double>(std::time(nullptr));
  // The folder of a process appears in /proc with it; the clock may have been set since the boot.
  EXPECT_LE(started, now + 5);
  EXPECT_GT(started, now - 3600);
}

TEST(MetricsPage, knows_what_was_built) {
  MetricsPage page;
  page.process();
  EXPECT_THAT(page.render(), ::testing::ContainsRegex("fixkeep_build_info\\{version=\"[0-9.]+\","
                                                      "build=\"[^\"]+\",compiler=\"[^\"]+\"\\} 1"));
}

TEST(Version, names_number_build_and_compiler) {
  EXPECT_THAT(version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+ \\(.*\\)"));
}

}  // namespace
}  // namespace fixkeep::obs
