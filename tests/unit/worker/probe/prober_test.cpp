#include "worker/probe/prober.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "common/process/child_process.hpp"
#include "tests/support/beside.hpp"
#include "tests/unit/worker/probe/game.hpp"
#include "tests/unit/worker/probe/quiet_port.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using boost::asio::ip::udp;
using testing::HasSubstr;

constexpr auto patience = 50ms;  // for what must not happen

Probe ping(Duration interval = 100ms, Duration limit = 500ms) {
  return {
      .target =
          UdpProbe{.port = "query",
                   .exchanges = {{.question = "ping", .answer = *parse_byte_pattern("'pong'")}}},
      .interval = interval,
      .limit = limit};
}
Probe connection(Duration limit = 500ms) {
  return {.target = TcpProbe{.port = "game"}, .interval = 100ms, .limit = limit};
}
Probe started_line() {
  return {.target = LineProbe{TextPattern::containing("Server started")}};
}

struct ProberTest : ProberFixture {
  // An odd server on a free port, with a plan that asks for it.
  void play(const ProbePlan& plan, std::vector<std::string> habits) {
    begin(std::move(habits));
    watch(plan);
  }
  void begin(std::vector<std::string> habits, std::vector<std::string> environment = {}) {
    std::vector<std::string> command{support::beside("fixkeep-odd-server")};
    for (auto& word : habits) command.push_back(std::move(word));
    if (std::find(command.begin(), command.end(), "--port-file") == command.end()) {
      command.insert(command.end(), {"--port", std::to_string(port)});
    }
    game = std::make_unique<Game>(context, command, environment);
  }
  // One that was there before, and still has the port.
  [[nodiscard]] std::unique_ptr<Game> begin_orphan(std::vector<std::string> habits) {
    begin(std::move(habits));
    bool started = false;
    game->on_line = [&](const std::string&) { started = true; };
    EXPECT_TRUE(run_until([&] { return started; }));
    game->on_line = nullptr;
    return std::move(game);
  }
  void watch(const ProbePlan& plan) {
    probe(plan, {{"query", port}, {"game", port}}, [this] { return family_of(game->pid()); });
    game->on_line = [this](const std::string& line) {
      if (prober != nullptr) prober->line(line);
    };
  }
  [[nodiscard]] bool gets_ready() {
    return run_until([this] { return ready; });
  }
  [[nodiscard]] std::string becomes_unhealthy() {
    (void)run_until([this] { return !unhealthy.empty(); });
    return unhealthy;
  }
  // It comes to say so in the end, and the game is not ready until then.
  void expect_not_ready(const std::string& reason) {
    (void)run_until([&] { return prober->why_not_ready() == reason; });
    EXPECT_EQ(prober->why_not_ready(), reason);
    EXPECT_FALSE(ready);
  }
  [[nodiscard]] std::string number() const { return std::to_string(port); }

  std::uint16_t port = quiet_port();
  std::unique_ptr<Game> game;
};

TEST_F(ProberTest, a_game_is_ready_when_it_answers) {
  play({.readiness = {ping()}}, {});
  EXPECT_TRUE(gets_ready());
  EXPECT_EQ(prober->why_not_ready(), "");
}

TEST_F(ProberTest, a_question_is_asked_again_while_the_first_packets_are_lost) {
  play({.readiness = {ping(10s, 10s)}}, {"--habit", "deaf-at-first"});
  EXPECT_TRUE(run_until([this] { return ready; }, 5s)) << "within one try of ten seconds";
}

TEST_F(ProberTest, a_late_answer_counts_within_the_limit_only) {
  play({.readiness = {ping(100ms, 100ms)}}, {"--habit", "late", "--after-ms", "400"});
  run_for(700ms);
  EXPECT_FALSE(ready);
  EXPECT_THAT(prober->why_not_ready(), HasSubstr("no answer on udp port " + number() + " (query)"));
  watch({.readiness = {ping(1s, 3s)}});
  EXPECT_TRUE(gets_ready());
}

TEST_F(ProberTest, asks_in_two_packets_where_the_large_answer_wants_a_small_question_first) {
  UdpProbe info{.port = "query",
                .exchanges = {{.question = "info", .answer = *parse_byte_pattern("'info'")}},
                .players = PlayerPattern{*TextPattern::matching("players=(\\d+)").pattern}};
  play({.readiness = {{.target = info, .interval = 100ms, .limit = 100ms}}},
       {"--habit", "small-first", "--players", "7"});
  run_for(300ms);
  EXPECT_FALSE(ready);
  info.exchanges.insert(info.exchanges.begin(),
                        {.question = "ping", .answer = *parse_byte_pattern("'pong'")});
  const Probe both{.target = info, .interval = 100ms};
  watch({.readiness = {both}, .players = both});
  EXPECT_TRUE(run_until([this] { return players.has_value(); }));
  EXPECT_EQ(players->players, 7U);
}

TEST_F(ProberTest, does_not_silence_a_server_that_wants_to_be_asked_once_a_second) {
  Probe shy = ping(1200ms, 3s);
  shy.spacing = 1200ms;  // longer than a second, as packets are not equally fast
  Probe count = shy;
  count.target =
      UdpProbe{.port = "query",
               .exchanges = {{.question = "info"}},
               .players = PlayerPattern{*TextPattern::matching("players=(\\d+)").pattern}};
  play({.readiness = {shy}, .liveness = {shy}, .failures = 1, .players = count},
       {"--habit", "once-a-second"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(run_until([this] { return players.has_value() || !unhealthy.empty(); }));
    players.reset();
  }
  EXPECT_EQ(unhealthy, "");
}

TEST_F(ProberTest, counts_people_and_bots_by_a2s) {
  const Probe a2s{.target = A2sProbe{.port = "query"}, .interval = 100ms};
  play({.readiness = {a2s}, .players = a2s}, {"--habit", "a2s", "--players", "5", "--bots", "2"});
  ASSERT_TRUE(run_until([this] { return players.has_value(); }));
  EXPECT_EQ(*players, (PlayerCount{.players = 5, .bots = 2, .maximum = 32}));
}

TEST_F(ProberTest, a_game_that_hangs_is_unhealthy_though_it_runs) {
  play({.readiness = {ping()}, .liveness = {ping(100ms, 100ms)}}, {"--habit", "hang"});
  ASSERT_TRUE(gets_ready());
  game->signal(SIGUSR1);
  EXPECT_EQ(becomes_unhealthy(),
            "no answer on udp port " + number() +
                " (query) for 3 tries of 100 ms; if it falls silent when it "
                "is asked often, its probe needs a larger interval_ms than 100");
  EXPECT_TRUE(process::alive(game->pid()));
}

// The kernel goes on to establish connections to it.
TEST_F(ProberTest, a_game_that_hangs_accepts_no_connection) {
  play({.readiness = {connection()}, .liveness = {connection(100ms)}},
       {"--tcp", "--habit", "hang"});
  ASSERT_TRUE(gets_ready());
  game->signal(SIGUSR1);
  EXPECT_EQ(becomes_unhealthy(), "the game accepted no connection on tcp port " + number() +
                                     " (game) for 3 tries of 100 ms");
}

TEST_F(ProberTest, a_game_that_took_another_port_is_not_ready_and_says_where_it_is) {
  const udp::socket stranger{context, {udp::v4(), port}};
  play({.readiness = {ping(100ms, 100ms), started_line()}}, {"--habit", "next-port"});
  ASSERT_TRUE(
      run_until([this] { return prober->why_not_ready().find("no line") == std::string::npos; }));
  run_for(200ms);
  EXPECT_FALSE(ready);
  EXPECT_THAT(prober->why_not_ready(),
              testing::MatchesRegex("the game listens on udp port [0-9]+, not on " + number() +
                                    " \\(query\\), which belongs to another process \\(pid " +
                                    std::to_string(::getpid()) + "\\)"));
}

TEST_F(ProberTest, the_answer_of_an_orphan_of_yesterday_does_not_count) {
  const auto orphan = begin_orphan({});
  play({.readiness = {ping()}}, {"--habit", "ready-before-bind"});
  expect_not_ready("the answer on udp port " + number() +
                   " (query) came from another process (pid " + std::to_string(orphan->pid()) +
                   ")");
}

TEST_F(ProberTest, a_connection_that_an_orphan_accepts_does_not_count) {
  const auto orphan = begin_orphan({"--tcp"});
  play({.readiness = {connection()}}, {"--tcp", "--habit", "ready-before-bind"});
  expect_not_ready("the answer on tcp port " + number() +
                   " (game) came from another process (pid " + std::to_string(orphan->pid()) + ")");
}

TEST_F(ProberTest, a_ready_line_before_a_failed_bind_is_not_enough_if_the_port_is_asked_too) {
  const udp::socket stranger{context, {udp::v4(), port}};
  play({.readiness = {started_line(), ping(100ms, 100ms)}}, {"--habit", "ready-before-bind"});
  ASSERT_TRUE(
      run_until([this] { return prober->why_not_ready().find("no line") == std::string::npos; }));
  run_for(200ms);
  EXPECT_FALSE(ready);
  EXPECT_EQ(prober->why_not_ready(), "udp port " + number() +
                                         " (query) is that of another process (pid " +
                                         std::to_string(::getpid()) + ")");
  EXPECT_EQ(WEXITSTATUS(game->wait()), 1);
}

TEST_F(ProberTest, says_that_nothing_listens_while_nothing_does) {
  play({.readiness = {connection(), ping()}, .said_ready = true},
       {"--port-file", "/no/such/file"});  // any port but ours
  run_for(patience);
  game->signal(SIGKILL);
  ASSERT_TRUE(run_until([this] { return family_of(game->pid()).empty(); }));
  EXPECT_EQ(prober->why_not_ready(),
            "the game has not said that it is ready; nothing listens on tcp port " + number() +
                " (game); nothing listens on udp port " + number() + " (query)");
}

TEST_F(ProberTest, a_game_that_forks_and_leaves_is_known_by_its_descendants) {
  process::adopt_orphans();
  begin({"--habit", "fork-and-leave"});
  EXPECT_EQ(WEXITSTATUS(game->wait()), 0);
  const auto ours = [] {
    auto all = family_of(::getpid());
    std::erase(all, ::getpid());
    return all;
  };
  probe({.readiness = {ping()}}, {{"query", port}}, ours);
  EXPECT_TRUE(gets_ready());
  EXPECT_EQ(process::end_orphans(), 1U);
}

TEST_F(ProberTest, a_game_that_floods_its_output_is_heard) {
  play({.readiness = {started_line(), ping()}}, {"--habit", "flood"});
  EXPECT_TRUE(gets_ready());
}

TEST_F(ProberTest, a_game_that_ignores_that_it_is_asked_to_end_stays_well) {
  play({.readiness = {ping()}, .liveness = {ping(50ms, 5s)}, .failures = 1},
       {"--habit", "ignore-sigterm"});
  ASSERT_TRUE(gets_ready());
  game->signal(SIGTERM);
  run_for(200ms);
  EXPECT_EQ(unhealthy, "");
  EXPECT_EQ(WTERMSIG(game->end()), SIGKILL);
}

TEST_F(ProberTest, a_game_that_wants_a_home_has_one_or_ends) {
  begin({"--habit", "needs-home"}, {"HOME=/proc"});
  EXPECT_EQ(WEXITSTATUS(game->wait()), 1);
  begin({"--habit", "needs-home"}, {"HOME=" + testing::TempDir()});
  watch({.readiness = {ping()}});
  EXPECT_TRUE(gets_ready());
}

TEST_F(ProberTest, a_game_that_takes_its_port_from_a_file_is_asked_there) {
  const auto file = testing::TempDir() + "odd-port-" + number();
  std::ofstream{file} << port << '\n';
  play({.readiness = {ping()}}, {"--port-file", file});
  EXPECT_TRUE(gets_ready());
  std::filesystem::remove(file);
}

// --- commands -----------------------------------------------------------------------------------

struct ProberCommandTest : ProberTest {
  void play_with_command(const ProbePlan& plan) {
    begin({});
    probe(
        plan, {{"query", port}}, [this] { return family_of(game->pid()); },
        [this](const std::vector<std::string>& command, Duration /*limit*/,
               std::function<void(CommandEnd)> done) {
          commands.push_back(command);
          if (at_once) return done(end);
          boost::asio::post(context, [this, done = std::move(done)] { done(end); });
        });
  }
  static Probe command(std::optional<PlayerPattern> number = {}) {
    return {.target = CommandProbe{.command = {"count", "--all"}, .players = std::move(number)},
            .interval = 50ms,
            .limit = 100ms};
  }

  CommandEnd end{.exit_code = 0, .how = "exit code 0"};
  bool at_once = false;
  std::vector<std::vector<std::string>> commands;
};

TEST_F(ProberCommandTest, exit_code_0_is_well_and_the_number_is_in_the_output) {
  end.output = "map: dm1\nplayers: 3/8\n";
  const PlayerPattern number{*TextPattern::matching("(?m)^players: (\\d+)").pattern};
  for (const bool now : {false, true}) {
    at_once = now;
    players.reset();
    play_with_command({.readiness = {command()}, .players = command(number)});
    ASSERT_TRUE(run_until([this] { return players.has_value(); })) << now;
    EXPECT_EQ(players->players, 3U);
    EXPECT_THAT(commands.front(), testing::ElementsAre("count", "--all"));
  }
}

TEST_F(ProberCommandTest, says_how_a_command_failed) {
  end = {.exit_code = 3, .how = "exit code 3", .output = "asking…\nno such server\n"};
  play_with_command({.liveness = {command()}, .failures = 2});
  EXPECT_EQ(becomes_unhealthy(),
            "the command \"count --all\": exit code 3: no such server, 2 times in a row");
}

TEST_F(ProberCommandTest, an_output_without_the_number_makes_it_unknown) {
  end.output = "players: none\n";
  play_with_command(
      {.failures = 2,
       .players = command(PlayerPattern{*TextPattern::matching("players: (\\d+)").pattern})});
  ASSERT_TRUE(run_until([this] { return !unknown.empty(); }));
  EXPECT_EQ(unknown,
            "no number of players in the output of the command \"count --all\", 2 times in a row");
}

TEST_F(ProberCommandTest, a_command_that_never_ends_is_given_up) {
  begin({});
  probe(
      {.liveness = {command()}, .failures = 2}, {}, [] { return Processes{}; },
      [](const auto&, Duration, const auto&) {});
  EXPECT_EQ(becomes_unhealthy(), "the command \"count --all\" did not end for 2 tries of 100 ms");
}

// --- ends ---------------------------------------------------------------------------------------

TEST_F(ProberTest, may_be_destroyed_by_what_it_calls_and_at_any_time) {
  play({.readiness = {ping(), connection()}}, {});
  run_for(patience);
  prober.reset();
  run_for(patience);
  const ProberHandlers destroying{.ready = [this] { prober.reset(); }};
  prober = std::make_unique<Prober>(
      context,
      ProberOptions{.plan = {.readiness = {ping()}},
                    .ports = {{"query", port}},
                    .processes = [this] { return family_of(game->pid()); }},
      destroying);
  prober->started();
  EXPECT_TRUE(run_until([this] { return prober == nullptr; }));
}

TEST_F(ProberTest, leaves_no_descriptor) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
  };
  begin({});
  watch({.readiness = {ping()}});
  ASSERT_TRUE(gets_ready());
  prober.reset();
  const auto before = count();
  watch({.readiness = {ping(), connection()}, .liveness = {ping(50ms)}});
  run_for(patience * 4);
  prober.reset();
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace fixkeep::probe
