#include "worker/probe/core/probe_options.hpp"

#include <gtest/gtest.h>

#include "worker/probe/core/reasons.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::chrono_literals;

const Ports named_ports{{"game", 5556}, {"query", 8303}};

std::string problem_with(const Probe& probe) {
  return problem_of(ProbePlan{.readiness = {probe}}, named_ports);
}

TEST(ProbePlan, a_plain_one_has_no_problem) {
  const TextPattern number = *TextPattern::matching("(\\d+)").pattern;
  const ProbePlan plan{
      .readiness = {{.target = TcpProbe{.port = "game"}},
                    {.target = UdpProbe{.port = "query", .exchanges = {{.question = "?"}}}},
                    {.target = LineProbe{TextPattern::containing("ready")}},
                    {.target = AliveProbe{100ms}}},
      .liveness = {{.target = A2sProbe{.port = "query"}}},
      .players = Probe{.target = CommandProbe{.command = {"count"}, .players = {{number}}}}};
  EXPECT_EQ(problem_of(plan, named_ports), "");
}

TEST(ProbePlan, says_which_probe_is_wrong_and_why) {
  EXPECT_EQ(problem_with({.target = TcpProbe{.port = "gaem"}}),
            "readiness[0]: the game has no port with the name \"gaem\"");
  EXPECT_EQ(problem_with({.target = UdpProbe{.port = "query"}}),
            "readiness[0]: there is nothing to ask");
  EXPECT_EQ(problem_with({.target = CommandProbe{}}), "readiness[0]: there is no command");
  EXPECT_EQ(problem_with({.target = TcpProbe{.port = "game"}, .limit = 5ms}),
            "readiness[0]: the limit is to be between 10 ms and a minute");
  EXPECT_EQ(problem_with({.target = TcpProbe{.port = "game"}, .interval = 20ms}),
            "readiness[0]: the interval is to be between the spacing and an hour");
  const Probe tcp{.target = TcpProbe{.port = "game"}};
  EXPECT_EQ(problem_of({.liveness = std::vector<Probe>(9, tcp)}, named_ports),
            "liveness: there are more than 8 probes");
  EXPECT_EQ(problem_of({.liveness = {{.target = AliveProbe{1s}}}}, named_ports),
            "liveness: that the process is alive needs no probe");
  EXPECT_EQ(problem_of({.failures = 0}, named_ports), "failures: they are to be between 1 and 100");
  EXPECT_EQ(problem_of({.players = tcp}, named_ports),
            "players: this probe does not count players");
}

TEST(ProbePlan, copies_stay_inside_of_the_packet) {
  const auto with = [](std::size_t to, std::size_t bytes) {
    return problem_with(
        {.target = UdpProbe{.port = "query",
                            .exchanges = {{.question = "a"},
                                          {.question = "12345678",
                                           .copies = {{.from = 0, .to = to, .bytes = bytes}}}}}});
  };
  EXPECT_EQ(with(0, 8), "");
  EXPECT_EQ(with(4, 4), "");
  for (const auto& [to, bytes] : {std::pair{5UL, 4UL}, {0UL, 9UL}, {0UL, 0UL}, {~0UL, 4UL}}) {
    EXPECT_EQ(with(to, bytes), "readiness[0]: bytes are copied behind the end of the packet");
  }
}

TEST(Reasons, are_what_a_person_reads) {
  using Kind = Failure::Kind;
  const Probe udp{.target = UdpProbe{.port = "query"}};
  const Probe tcp{.target = TcpProbe{.port = "game"}};
  const auto of_udp = [&](const Failure& failure, std::uint32_t tries = 1) {
    return sentence(udp, named_ports, failure, tries);
  };
  EXPECT_EQ(of_udp({.kind = Kind::no_answer}, 3),
            "no answer on udp port 8303 (query) for 3 tries of 500 ms; if it falls silent when it "
            "is asked often, its probe needs a larger interval_ms than 2000");
  EXPECT_EQ(of_udp({.kind = Kind::no_answer}), "no answer on udp port 8303 (query) within 500 ms");
  EXPECT_EQ(of_udp({.kind = Kind::nobody}), "nothing listens on udp port 8303 (query)");
  EXPECT_EQ(of_udp({.kind = Kind::elsewhere, .ports = {8304}}, 2),
            "the game listens on udp port 8304, not on 8303 (query), 2 times in a row");
  EXPECT_EQ(of_udp({.kind = Kind::elsewhere, .pid = 77, .ports = {8304}}),
            "the game listens on udp port 8304, not on 8303 (query), which belongs to another "
            "process (pid 77)");
  EXPECT_EQ(of_udp({.kind = Kind::elsewhere, .ports = {8304, 8305, 8306}}),
            "the game listens on udp ports 8304, 8305 and 8306, not on 8303 (query)");
  EXPECT_EQ(of_udp({.kind = Kind::elsewhere, .ports = {1, 2, 3, 4, 5, 6}}),
            "the game listens on udp ports 1, 2, 3, 4, …, not on 8303 (query)");
  EXPECT_EQ(of_udp({.kind = Kind::not_expected, .text = "it begins with 00"}),
            "the answer on udp port 8303 (query) is not as expected: it begins with 00");
  EXPECT_EQ(sentence(tcp, named_ports, {.kind = Kind::other_process, .pid = 77}, 1),
            "the answer on tcp port 5556 (game) came from another process (pid 77)");
  EXPECT_EQ(sentence(tcp, named_ports, {.kind = Kind::taken}, 1),
            "tcp port 5556 (game) is that of another process");
  EXPECT_EQ(sentence(tcp, named_ports, {.kind = Kind::not_accepted}, 3),
            "the game accepted no connection on tcp port 5556 (game) for 3 tries of 500 ms");
  EXPECT_EQ(
      sentence(tcp, named_ports, {.kind = Kind::closed}, 2),
      "tcp port 5556 (game) closes connections at once, without a word: nothing listens behind "
      "it, or the game does so and its probe needs \"accepted\": false, 2 times in a row");
}

TEST(Reasons, of_lines_commands_and_time) {
  const Probe line{.target = LineProbe{TextPattern::containing("Server started")}};
  EXPECT_EQ(sentence(line, {}, {}, 0), "no line with \"Server started\" yet");
  EXPECT_EQ(sentence(line, {}, {}, 3),
            "no line with \"Server started\" in 2000 ms, 3 times in a row");
  const Probe command{.target = CommandProbe{.command = {"check", "-v"}}};
  EXPECT_EQ(sentence(command, {}, {}, 2),
            "the command \"check -v\" did not end for 2 tries of 500 ms");
  EXPECT_EQ(sentence(command, {}, {.kind = Failure::Kind::not_well, .text = "exit code 3"}, 1),
            "the command \"check -v\": exit code 3");
  EXPECT_EQ(sentence({.target = AliveProbe{30s}}, {}, {}, 0), "the game has not run for 30 s yet");
}

TEST(Reasons, a_game_cannot_write_a_line_of_ours) {
  const Probe command{.target = CommandProbe{.command = {"check"}}};
  const auto text = sentence(
      command, {}, {.kind = Failure::Kind::not_well, .text = "\nERROR" + std::string(500, 'x')}, 1);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_LT(text.size(), 300U);
}

}  // namespace
}  // namespace fixkeep::probe
