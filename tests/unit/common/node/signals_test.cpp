#include "common/node/signals.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <utility>

namespace fixkeep::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction now = {};
  EXPECT_EQ(::sigaction(signal, nullptr, &now), 0);
  return now.sa_handler;
}

struct NodeSignalsTest : testing::Test {
  NodeSignalsTest() { guard_signals(); }

  void raise(int signal) {
    const int before = heard();
    ASSERT_EQ(std::raise(signal), 0);
    context.restart();
    // Asio takes a turn or two until the handler of the signal has its own.
    while (heard() == before && context.run_one() > 0) continue;
  }
  NodeSignalHandlers handlers() {
    return {.stop = [this] { ++stops; }, .stop_at_once = nullptr, .reload = [this] { ++reloads; }};
  }

  [[nodiscard]] int heard() const { return stops + at_once + reloads + leaves; }

  boost::asio::io_context context{1};
  int stops = 0;
  int at_once = 0;
  int reloads = 0;
  int leaves = 0;
};

TEST_F(NodeSignalsTest, user_2_is_for_those_who_can_leave_something_behind) {
  auto wanted = handlers();
  wanted.leave = [this] { ++leaves; };
  NodeSignals signals{context, std::move(wanted)};
  raise(SIGUSR2);
  EXPECT_EQ(leaves, 1);
  EXPECT_EQ(stops, 0);
}

TEST_F(NodeSignalsTest, user_1_raises_the_level_of_the_log) {
  testing::internal::CaptureStderr();
  obs::start_log({});
  NodeSignals signals{context, handlers()};
  ASSERT_EQ(std::raise(SIGUSR1), 0);
  const auto raised = [] { return obs::log_enabled(obs::LogLevel::debug); };
  while (!raised() && context.run_one_for(std::chrono::seconds{20}) > 0) continue;
  EXPECT_TRUE(raised());
  EXPECT_EQ(heard(), 0);
  (void)obs::reload_log({});
  obs::stop_log();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("log level changed signal=SIGUSR1 level=debug"));
}

TEST_F(NodeSignalsTest, that_are_gone_leave_signals_that_end_nothing) {
  { const NodeSignals signals{context, handlers()}; }
  for (const int harmless : {SIGHUP, SIGUSR1, SIGUSR2}) EXPECT_EQ(handler_of(harmless), SIG_IGN);
  sigset_t blocked;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(::sigismember(&blocked, SIGHUP), 0);
}

TEST_F(NodeSignalsTest, the_second_signal_to_end_is_left_to_the_system_and_others_end_nothing) {
  NodeSignals signals{context, handlers()};
  raise(SIGHUP);
  raise(SIGHUP);
  EXPECT_EQ(reloads, 2);
  raise(SIGTERM);
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(handler_of(SIGTERM), SIG_DFL);
  EXPECT_EQ(handler_of(SIGINT), SIG_DFL);
  for (const int harmless : {SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE}) {
    EXPECT_EQ(handler_of(harmless), SIG_IGN);
    EXPECT_EQ(std::raise(harmless), 0);
  }
  context.restart();
  context.run_for(std::chrono::seconds{20});
  EXPECT_TRUE(context.stopped()) << "it keeps the loop from running out of work";
}

TEST_F(NodeSignalsTest, the_second_signal_to_end_goes_where_something_must_be_ended_first) {
  auto wanted = handlers();
  wanted.stop_at_once = [this] { ++at_once; };
  NodeSignals signals{context, std::move(wanted)};
  raise(SIGTERM);
  raise(SIGINT);
  raise(SIGTERM);
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(at_once, 2);
  signals.release();
  EXPECT_EQ(handler_of(SIGTERM), SIG_DFL);
}

TEST_F(NodeSignalsTest, a_reload_names_the_keys_that_need_a_restart_and_never_their_values) {
  ConfigurationInEffect now{{{"http", {{"port", 1}}},
                             {"log", {{"level", "info"}, {"file", ""}}},
                             {"modes", {{{"name", "secret mode"}}}}},
                            {},
                            {{"admin.token", "secret one"}, {"lock.password", "secret two"}}};
  ConfigurationInEffect read = now;
  read.secrets["admin.token"] = "secret three";
  read.shown["http"]["port"] = 2;
  read.shown["modes"][0]["name"] = "other secret";
  read.shown["log"]["level"] = "debug";
  read.log.level = obs::LogLevel::debug;
  testing::internal::CaptureStderr();
  obs::start_log({});
  EXPECT_TRUE(take_over(read, now));
  EXPECT_TRUE(take_over(read, now));
  refuse({{"f.json:3", 3, "http.port", "must be a number"}}, now);
  EXPECT_TRUE(obs::log_enabled(obs::LogLevel::debug));
  (void)obs::reload_log({});
  obs::stop_log();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("configuration read again log_level=debug changed=log.level"));
  EXPECT_THAT(log, HasSubstr("need a restart keys=\"http.port, modes[0].name, admin.token\""));
  EXPECT_THAT(log, HasSubstr("log_level=debug changed=nothing"));
  EXPECT_THAT(log, HasSubstr("problem=\"f.json:3: http.port: must be a number\""));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
}

TEST_F(NodeSignalsTest, a_reload_names_the_keys_that_the_node_takes_over_by_itself) {
  ConfigurationInEffect now{{{"log", {{"level", "info"}, {"file", ""}}},
                             {"http", {{"port", 1}, {"tls", {{"certificate", "old.pem"}}}}},
                             {"games", {{{"mode", "duel"}, {"command", {"old"}}}}}},
                            {}};
  ConfigurationInEffect read = now;
  read.shown["games"][0]["command"][0] = "new";
  read.shown["http"]["tls"]["certificate"] = "new.pem";
  testing::internal::CaptureStderr();
  obs::start_log({});
  EXPECT_TRUE(take_over(read, now, {"games", "http.tls"}));
  EXPECT_EQ(now.shown, read.shown);
  read.log.file = "/no/such/folder/log";
  EXPECT_FALSE(take_over(read, now, {"games", "http.tls"}));
  obs::stop_log();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("changed=\"games[0].command[0], http.tls.certificate\""));
  EXPECT_THAT(log, Not(HasSubstr("need a restart")));
}

}  // namespace
}  // namespace fixkeep::node
