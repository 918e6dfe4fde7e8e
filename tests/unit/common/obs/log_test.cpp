#include "common/obs/log.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>
#include <vector>

#include "common/base/assert.hpp"
#include "common/obs/utc.hpp"

namespace fixkeep::obs {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A line as it stands in the log, with "TIME" for its time.
std::string format_line(LogOptions options, LogLevel level, std::string_view message,
                        LogFields fields) {
  options.level = LogLevel::debug;
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(start_log(options));
  log(level, message, fields);
  stop_log();
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, MatchesRegex("[^\n]*\n"));
  static const std::regex time{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"};
  return std::regex_replace(written.substr(0, written.size() - 1), time, "TIME");
}

TEST(LogLine, is_readable_as_text) {
  const LogOptions options{.level = LogLevel::info, .format = LogFormat::text, .node = "m1"};
  EXPECT_EQ(format_line(options, LogLevel::info, "room opened",
                        {{"room", "w1-00000000000000ab-1"},
                         {"port", std::uint16_t{20000}},
                         {"late", false},
                         {"share", 0.5},
                         {"delta", -3}}),
            "TIME info  m1 room opened room=w1-00000000000000ab-1 port=20000 "
            "late=false share=0.5 delta=-3");
  EXPECT_EQ(format_line(options, LogLevel::warning, "x", {}), "TIME warning m1 x");
}

TEST(LogLine, has_its_time_in_utc) {
  const auto now = [] {
    return utc_text(
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
  };
  const std::string before = now();
  ::testing::internal::CaptureStderr();
  log_info("now");
  const std::string time = ::testing::internal::GetCapturedStderr().substr(0, before.size());
  EXPECT_GE(time, before);
  EXPECT_LE(time, now());
}

TEST(LogLine, stays_one_line_whatever_a_peer_put_into_it) {
  const LogOptions options{.level = LogLevel::info, .format = LogFormat::text, .node = "m1"};
  const auto line =
      format_line(options, LogLevel::error, "bad\nthing",
                  {{"who", "a b\n2025 error m1 forged"}, {"empty", ""}, {"bytes", "\xff\x1b[31m"}});
  EXPECT_EQ(line,
            "TIME error m1 bad thing who=\"a b\\n2025 error m1 forged\" "
            "empty=\"\" bytes=\"\xef\xbf\xbd\\u001b[31m\"");
}

constexpr const char* steering_characters =
    "a\xc2\x85z\xc2\x9b[2J\xe2\x80\xaetxt\xe2\x81\xa6\xe2\x80\x8e\xd8\x9c\xe2\x80\xa8\x7f";
constexpr const char* steering_characters_escaped =
    "a\\u0085z\\u009b[2J\\u202etxt\\u2066\\u200e\\u061c\\u2028\\u007f";

TEST(LogLine, escapes_what_would_steer_a_terminal_or_turn_the_direction_of_text) {
  for (const auto format : {LogFormat::text, LogFormat::json}) {
    const LogOptions options{.level = LogLevel::info, .format = format, .node = "m1"};
    const auto line = format_line(options, LogLevel::info, "hello", {{"who", steering_characters}});
    EXPECT_THAT(line, HasSubstr(std::string{"\""} + steering_characters_escaped + "\""));
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c < 0x7f) << line;
    const auto message = format_line(options, LogLevel::info,
                                     "from \xc2\x9b"
                                     "31m \xe2\x80\xae\xff",
                                     {});
    EXPECT_THAT(message, HasSubstr("from \\u009b31m \\u202e\xef\xbf\xbd"));
  }
}

TEST(LogLine, leaves_the_letters_of_all_languages_as_they_are) {
  const std::string name = "J\xc3\xb6rg \xe6\xbc\xa2\xf0\x9f\x8e\xae";
  const auto line = format_line({}, LogLevel::info, name, {{"name", name}});
  EXPECT_THAT(line, HasSubstr(name + " name=\"" + name + "\""));
}

TEST(LogLine, is_json_for_machines) {
  const LogOptions options{.level = LogLevel::info, .format = LogFormat::json, .node = "w\"1"};
  const auto line = format_line(
      options, LogLevel::warning, "a \"quoted\"\nmessage\xff",
      {{"count", std::uint64_t{18'446'744'073'709'551'615U}}, {"ok", true}, {"text", "tab\t"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(line),
            nlohmann::json({{"time", "TIME"},
                            {"level", "warning"},
                            {"node", "w\"1"},
                            {"message", "a \"quoted\"\nmessage\xef\xbf\xbd"},
                            {"count", 18'446'744'073'709'551'615U},
                            {"ok", true},
                            {"text", "tab\t"}}));
}

TEST(Log, writes_the_lines_of_all_threads_that_are_important_enough) {
  ::testing::internal::CaptureStderr();
  start_log({.level = LogLevel::info, .format = LogFormat::text, .node = "m7"});
  EXPECT_FALSE(log_enabled(LogLevel::debug));
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) {
        log_info("counted", {{"thread", t}, {"i", i}});
        log_debug("not shown");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  stop_log();
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 300);
  EXPECT_THAT(written, HasSubstr(" info  m7 counted thread=2 i=99\n"));
  EXPECT_THAT(written, ::testing::Not(HasSubstr("not shown")));
}

TEST(Log, writes_directly_before_it_is_started) {
  ::testing::internal::CaptureStderr();
  log_error("early", {{"reason", "no log yet"}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("early reason=\"no log yet\"\n"));
}

TEST(Log, raises_its_level_step_by_step_and_comes_back_to_the_configured_one) {
  start_log({.level = LogLevel::warning});
  EXPECT_EQ(raise_log_level(), LogLevel::info);
  EXPECT_TRUE(log_enabled(LogLevel::info));
  EXPECT_EQ(raise_log_level(), LogLevel::debug);
  EXPECT_EQ(raise_log_level(), LogLevel::warning);
  EXPECT_FALSE(log_enabled(LogLevel::info));
  EXPECT_EQ(raise_log_level(), LogLevel::info);
  EXPECT_TRUE(reload_log({.level = LogLevel::error}));
  EXPECT_FALSE(log_enabled(LogLevel::warning));
  EXPECT_TRUE(reload_log({.level = LogLevel::info}));
  stop_log();
}

TEST(LogDeathTest, is_written_before_a_failed_assertion_aborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        start_log({});
        for (int i = 0; i < 1000; ++i) log_info("line", {{"i", i}});
        FIXKEEP_ASSERT(false, "the state");
      },
      "line i=999");
}

}  // namespace
}  // namespace fixkeep::obs
