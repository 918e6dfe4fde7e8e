#include "worker/probe/core/watch.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace fixkeep::probe {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const Ports ports_of_room{{"game", 5556}, {"query", 8303}};

Probe udp(Duration interval = 1s) {
  return {.target = UdpProbe{.port = "query", .exchanges = {{.question = "?"}}},
          .interval = interval};
}
Probe tcp() {
  return {.target = TcpProbe{.port = "game"}, .interval = 1s};
}
Probe line(const std::string& text, Duration interval = 1s) {
  return {.target = LineProbe{TextPattern::containing(text)}, .interval = interval};
}

// A watch in a world where time jumps from tick to tick, and what it did, with the time in ms.
struct WatchTest : testing::Test {
  using Outcome = std::variant<PlayerCount, Failure>;

  void start(const ProbePlan& plan) {
    ASSERT_EQ(problem_of(plan, ports_of_room), "");
    watch.emplace(plan, ports_of_room);
    step(GameStarted{});
  }
  void step(const Event& event) {
    Actions actions;
    watch->step(event, now, actions);
    for (const auto& action : actions) std::visit([this](const auto& a) { did(a); }, action);
  }
  void run_until(Duration end) {
    while (watch->next_tick() <= begin + end) {
      now = std::max(now, watch->next_tick());
      step(TimePassed{});
      ASSERT_LT(++ticks, 10000);
    }
    now = begin + end;
  }

  [[nodiscard]] std::string at() const {
    return std::to_string(
               std::chrono::duration_cast<std::chrono::milliseconds>(now - begin).count()) +
           " ";
  }
  void did(const BeginTry& action) {
    happened.push_back(at() + "ask " + std::to_string(action.which.probe));
    open[action.which.probe] = action.which;
    if (!answer) return;
    // At once: tests of the driver show what happens in between.
    if (const auto outcome = answer(action.which.probe)) end(action.which.probe, *outcome);
  }
  void did(const AskAgain& action) {
    ++asked_again;
    happened.push_back(at() + "ask " + std::to_string(action.which.probe) + " again");
  }
  void did(const GiveUp& action) {
    happened.push_back(at() + "give up " + std::to_string(action.which.probe));
    end(action.which.probe, Failure{});
  }
  void did(const Ready& /*action*/) { happened.push_back(at() + "ready"); }
  void did(const Unhealthy& action) { happened.push_back(at() + "unhealthy: " + action.reason); }
  void did(const Players& action) {
    happened.push_back(at() + std::to_string(action.count.players) + " players");
  }
  void did(const PlayersUnknown& action) {
    happened.push_back(at() + "players unknown: " + action.reason);
  }
  void end(std::size_t probe, const Outcome& outcome) {
    if (const auto* count = std::get_if<PlayerCount>(&outcome)) {
      step(Answered{open.at(probe), *count});
    } else {
      step(Failed{open.at(probe), std::get<Failure>(outcome)});
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(happened, {}); }

  const TimePoint begin{1h};
  TimePoint now = begin;
  std::optional<Watch> watch;
  std::function<std::optional<Outcome>(std::size_t probe)> answer;
  std::map<std::size_t, Try> open;
  std::vector<std::string> happened;
  std::size_t asked_again = 0;
  int ticks = 0;
};

TEST_F(WatchTest, asks_again_within_a_try_50_ms_apart_at_first_and_slower_as_it_boots) {
  start({.readiness = {udp()}});
  run_until(430ms);
  EXPECT_THAT(take(), ElementsAre("0 ask 0", "50 ask 0 again", "100 ask 0 again", "150 ask 0 again",
                                  "200 ask 0 again", "250 ask 0 again", "300 ask 0 again",
                                  "350 ask 0 again", "400 ask 0 again"));
  run_until(60s);
  (void)take();
  run_until(63s);
  std::vector<std::string> questions;
  for (const auto& text : take()) {
    if (text.find("ask") != std::string::npos) questions.push_back(text);
  }
  EXPECT_EQ(questions.size(), 3U) << "once an interval in the end";
}

TEST_F(WatchTest, a_boot_of_any_length_is_seen_an_eighth_later_at_most) {
  for (const auto boot : {19ms, 130ms, 500ms, 2000ms, 7000ms}) {
    now = begin;
    answer = [&](std::size_t) -> std::optional<Outcome> {
      if (now - begin < boot) return Failure{.kind = Failure::Kind::nobody};
      return PlayerCount{};
    };
    happened.clear();
    start({.readiness = {tcp()}});
    run_until(boot + std::max<Duration>(50ms, boot / 8 + 1ms));
    EXPECT_TRUE(watch->ready()) << boot.count();
    EXPECT_LE(happened.size(), 60U);
  }
}

TEST_F(WatchTest, never_asks_a_port_more_often_than_the_spacing_says) {
  Probe shy = udp(2s);
  shy.spacing = 1s;
  Probe count{.target = A2sProbe{.port = "query"}, .interval = 2s};
  std::vector<TimePoint> asked;
  answer = [&](std::size_t) -> std::optional<Outcome> {
    asked.push_back(now);
    if (now - begin < 3s) return std::nullopt;
    return PlayerCount{};
  };
  start({.readiness = {shy}, .liveness = {shy}, .players = count});
  run_until(60s);
  EXPECT_TRUE(watch->ready());
  ASSERT_GT(asked.size(), 40U);
  for (std::size_t i = 1; i < asked.size(); ++i) {
    EXPECT_GE(asked[i] - asked[i - 1], 1s) << (asked[i] - begin).count();
  }
  EXPECT_EQ(asked_again, 0U) << "a question that is repeated is a question";
}

TEST_F(WatchTest, probes_that_share_a_port_take_turns) {
  Probe shy = udp(1200ms);
  shy.spacing = 1200ms;
  Probe count{.target = A2sProbe{.port = "query"}, .interval = 1200ms, .spacing = 1200ms};
  answer = [&](std::size_t) { return PlayerCount{}; };
  start({.liveness = {shy, shy}, .players = count});
  run_until(10s);
  std::string turns;
  for (const auto& text : take()) {
    if (text.find("ask") != std::string::npos) turns += text.back();
  }
  EXPECT_EQ(turns, "01201201");
}

TEST_F(WatchTest, a_probe_for_liveness_and_players_is_asked_once_for_both) {
  Probe both{.target = A2sProbe{.port = "query"}, .name = "info"};
  both.interval = 2s;
  answer = [&](std::size_t) { return PlayerCount{.players = 3}; };
  start({.liveness = {both}, .players = both});
  run_until(5s);
  EXPECT_THAT(take(), ElementsAre("0 ready", "2000 ask 0", "2000 3 players", "4000 ask 0",
                                  "4000 3 players"));
}

TEST_F(WatchTest, such_a_probe_tells_that_players_are_unknown_before_the_game_is_unwell) {
  Probe both{.target = A2sProbe{.port = "query"}, .name = "info"};
  both.interval = 2s;
  answer = [&](std::size_t) { return Failure{}; };
  start({.liveness = {both}, .failures = 2, .players = both});
  answer = [&](std::size_t probe) -> std::optional<Outcome> {
    step(Failed{open.at(probe), Failure{}, true});  // of which as many are excused as may fail
    return std::nullopt;
  };
  run_until(4s);
  EXPECT_THAT(take(),
              ElementsAre("0 ready", "2000 ask 0", "4000 ask 0",
                          testing::HasSubstr("4000 players unknown: no answer on udp port 8303")));
  run_until(8s);
  EXPECT_THAT(take(), ElementsAre("6000 ask 0", "8000 ask 0", testing::HasSubstr("unhealthy")));
}

TEST_F(WatchTest, probes_of_a_port_are_spread_over_the_interval_when_the_game_is_ready) {
  Probe count{.target = A2sProbe{.port = "query"}, .interval = 2s};
  answer = [&](std::size_t) { return PlayerCount{}; };
  start({.liveness = {udp(2s)}, .players = count});
  run_until(6s);
  std::vector<std::string> asked;
  for (const auto& text : take()) {
    if (text.find("ask") != std::string::npos) asked.push_back(text);
  }
  EXPECT_THAT(asked,
              ElementsAre("2000 ask 0", "3000 ask 1", "4000 ask 0", "5000 ask 1", "6000 ask 0"));
}

TEST_F(WatchTest, is_ready_once_every_probe_has_succeeded_once) {
  start({.readiness = {udp(), line("Server started"), {.target = AliveProbe{300ms}}}});
  step(LineArrived{"Server starts"});
  step(LineArrived{"12:00 Server started."});
  EXPECT_FALSE(watch->ready());
  end(0, PlayerCount{});
  EXPECT_FALSE(watch->ready());
  (void)take();
  run_until(299ms);
  EXPECT_THAT(take(), IsEmpty());
  run_until(10s);
  EXPECT_THAT(take(), ElementsAre("300 ready"));
}

TEST_F(WatchTest, without_probes_a_game_is_ready_as_it_starts_or_when_it_says_so) {
  start({});
  EXPECT_THAT(take(), ElementsAre("0 ready"));
  start({.said_ready = true});
  EXPECT_TRUE(watch->waits_for_word());
  EXPECT_THAT(take(), IsEmpty());
  step(SaidReady{});
  step(SaidReady{});
  EXPECT_THAT(take(), ElementsAre("0 ready"));
}

// By the worker that takes the place of one that was killed.
TEST_F(WatchTest, a_game_that_is_found_ready_is_asked_whether_it_is_well) {
  const ProbePlan plan{.readiness = {line("up")}, .said_ready = true, .liveness = {udp()}};
  watch.emplace(plan, ports_of_room);
  step(GameFoundReady{});
  EXPECT_TRUE(watch->ready());
  EXPECT_FALSE(watch->waits_for_word());
  EXPECT_THAT(take(), IsEmpty()) << "nobody is told again";
  run_until(1s);
  EXPECT_THAT(take(), ElementsAre("1000 ask 1"));
}

TEST_F(WatchTest, a_line_before_the_start_is_of_another_game) {
  const ProbePlan plan{.readiness = {line("up")}};
  watch.emplace(plan, ports_of_room);
  step(LineArrived{"up"});
  step(GameStarted{});
  EXPECT_FALSE(watch->ready());
  EXPECT_EQ(watch->next_tick(), TimePoint::max());
}

TEST_F(WatchTest, tells_what_readiness_still_waits_for) {
  start({.readiness = {tcp(), line("up")}});
  end(0, Failure{.kind = Failure::Kind::nobody});
  run_until(60ms);
  end(0, Failure{.kind = Failure::Kind::not_accepted});
  const auto missing = watch->missing();
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].last.kind, Failure::Kind::not_accepted);
  EXPECT_EQ(missing[0].tries, 2U);
  EXPECT_EQ(missing[1].tries, 0U);
  step(LineArrived{"up"});
  EXPECT_EQ(watch->missing().size(), 1U);
}

TEST_F(WatchTest, failures_in_a_row_make_it_unhealthy_for_good) {
  start({.liveness = {udp()}, .failures = 3});
  run_until(20s);
  EXPECT_THAT(
      take(),
      ElementsAre("0 ready", "1000 ask 0", "1500 give up 0", "2000 ask 0", "2500 give up 0",
                  "3000 ask 0", "3500 give up 0",
                  "3500 unhealthy: no answer on udp port 8303 (query) for 3 tries of 500 "
                  "ms; if it falls silent "
                  "when it is asked often, its probe needs a larger interval_ms than 1000"));
  EXPECT_EQ(watch->next_tick(), TimePoint::max());
  end(0, PlayerCount{});
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(WatchTest, one_answer_in_between_forgives_what_was_before) {
  int asked = 0;
  answer = [&](std::size_t) -> std::optional<Outcome> {
    if (++asked % 3 == 0) return PlayerCount{};
    return Failure{};
  };
  start({.liveness = {udp()}, .failures = 3});
  run_until(60s);
  EXPECT_EQ(asked, 60);
  for (const auto& text : take()) EXPECT_EQ(text.find("unhealthy"), std::string::npos) << text;
}

TEST_F(WatchTest, other_probes_go_on_while_one_waits_for_its_answer) {
  Probe slow = tcp();
  slow.interval = 10s;
  slow.limit = 8s;
  start({.liveness = {slow, udp(4s)}, .failures = 1});
  answer = [&](std::size_t probe) -> std::optional<Outcome> {
    if (probe == 1) return PlayerCount{};
    return std::nullopt;
  };
  run_until(17s);
  EXPECT_THAT(take(), ElementsAre("0 ready", "4000 ask 1", "8000 ask 1", "10000 ask 0",
                                  "12000 ask 1", "16000 ask 1"));
}

TEST_F(WatchTest, an_answer_to_a_try_that_is_over_is_not_heard) {
  start({.liveness = {udp()}, .failures = 2});
  run_until(1000ms);
  const Try old = open.at(0);
  run_until(2000ms);
  ASSERT_NE(open.at(0), old);
  step(Answered{old, std::nullopt});
  step(Answered{Try{17, 1}, std::nullopt});
  run_until(2500ms);
  EXPECT_NE(take().back().find("2500 unhealthy"), std::string::npos);
}

TEST_F(WatchTest, an_answer_that_was_only_seen_late_counts) {
  const ProbePlan plan{.liveness = {udp()}, .failures = 1};
  watch.emplace(plan, ports_of_room);
  Actions actions;
  watch->step(GameStarted{}, now, actions);
  watch->step(TimePassed{}, now + 1s, actions);
  const auto asked = std::get<BeginTry>(actions.back()).which;
  // The worker was stopped for a minute. The driver finds the answer in the socket as it gives up.
  watch->step(TimePassed{}, now + 61s, actions);
  EXPECT_EQ(std::get<GiveUp>(actions.back()).which, asked);
  watch->step(Answered{asked, std::nullopt}, now + 61s, actions);
  actions.clear();
  watch->step(TimePassed{}, now + 61s, actions);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<BeginTry>(actions[0])) << "one question, not sixty";
}

TEST_F(WatchTest, a_line_has_to_come_in_each_interval) {
  start({.liveness = {line("tick", 2s)}, .failures = 2});
  for (int i = 0; i < 5; ++i) {
    run_until(i * 2s + 1s);
    step(LineArrived{"tick"});
    run_until(i * 2s + 1500ms);
    step(LineArrived{"tick"});
  }
  (void)take();
  run_until(60s);
  EXPECT_THAT(take(),
              ElementsAre("14000 unhealthy: no line with \"tick\" in 2000 ms, 2 times in a row"));
}

TEST_F(WatchTest, tells_the_number_of_players_at_its_interval) {
  std::uint32_t players = 0;
  answer = [&](std::size_t) { return PlayerCount{.players = ++players}; };
  start({.players = Probe{.target = A2sProbe{.port = "query"}, .interval = 2s}});
  run_until(5s);
  EXPECT_THAT(take(), ElementsAre("0 ready", "2000 ask 0", "2000 1 players", "4000 ask 0",
                                  "4000 2 players"));
}

TEST_F(WatchTest, says_once_that_the_number_is_not_known_and_when_it_is_back) {
  bool well = false;
  answer = [&](std::size_t) -> std::optional<Outcome> {
    if (well) return PlayerCount{.players = 4};
    return Failure{.kind = Failure::Kind::no_number};
  };
  start({.failures = 2, .players = Probe{.target = A2sProbe{.port = "query"}, .interval = 2s}});
  run_until(9s);
  well = true;
  run_until(11s);
  EXPECT_THAT(take(), ElementsAre("0 ready", "2000 ask 0", "4000 ask 0",
                                  "4000 players unknown: the answer on udp port 8303 (query) has "
                                  "no number of players, 2 times in a row",
                                  "6000 ask 0", "8000 ask 0", "10000 ask 0", "10000 4 players"));
}

TEST_F(WatchTest, a_probe_for_players_takes_an_answer_without_a_number_for_none) {
  start({.failures = 1, .players = Probe{.target = A2sProbe{.port = "query"}, .interval = 1s}});
  run_until(1s);
  step(Answered{open.at(0), std::nullopt});
  EXPECT_NE(take().back().find("players unknown"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::probe
