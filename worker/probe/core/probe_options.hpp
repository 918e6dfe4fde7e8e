// The options define how a worker probes an unmodified game server from outside: whether the server
// is ready, whether it remains healthy, and how many players it has. Values only.
//
// Readiness: the game is ready when *every* probe of the list has succeeded one time. A probe that
// has succeeded is not repeated. With an empty list, the game is ready at its start, unless
// `said_ready` is set. A line probe alone is a weak sign: some servers print their line and then
// fail to bind. So probe the port too. Liveness: after readiness, each probe of the liveness list
// is repeated at its interval. If one probe fails `failures` times in a row, the game is unhealthy
// and can never become healthy again. Players: after readiness, one probe is repeated at its
// interval. Bounds: see problem_of(). Errors: problem_of() describes a mistake in a plan.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "worker/probe/core/byte_pattern.hpp"
#include "worker/probe/core/text_pattern.hpp"

namespace fixkeep::probe {

enum class Protocol : std::uint8_t { tcp, udp };

// The ports of a room, by their names in the game's description.
using Ports = std::map<std::string, std::uint16_t>;

// Succeeds if the game accepts a connection on this port. An established connection is not enough,
// because the kernel establishes connections even for a game that hangs.
struct TcpProbe {
  std::string port;
};

// One packet to the game, and how its answer must begin.
struct Exchange {
  // Copies bytes of the previous answer (for example a token) into this exchange's question.
  struct Copy {
    std::size_t from = 0;  // offset in the previous answer
    std::size_t to = 0;    // offset in the question, whose bytes are overwritten
    std::size_t bytes = 0;
  };
  std::string question;
  std::size_t padded_to = 0;  // size in bytes: zeros follow a shorter question
  std::vector<Copy> copies;
  BytePattern answer;  // other answers are ignored; empty: any answer
};

struct UdpProbe {
  std::string port;
  std::vector<Exchange> exchanges;       // sent one by one, each after the previous answer
  std::optional<PlayerPattern> players;  // pattern for the last answer
};

// Valve's A2S_INFO over UDP, with its challenge. The answer counts bots as players, but this probe
// does not: a bot leaves when a player needs its place, so the bot's seat is free.
struct A2sProbe {
  std::string port;
};

// Succeeds when the game prints a matching line; for liveness: at least one in each interval.
struct LineProbe {
  TextPattern pattern;
};

// A program that runs beside the game, as the game's user. Exit code 0 means healthy. The program
// itself must check which process answers it.
struct CommandProbe {
  std::vector<std::string> command;      // the program, then its arguments; run without a shell
  std::optional<PlayerPattern> players;  // pattern for its output
};

// Succeeds when the game has run for `after`. It asks nothing: the worker notices the end of the
// game's process without a probe.
struct AliveProbe {
  Duration after{};
};

// Each TCP connection to one of the game's ports is a player. Nothing is sent to the game.
struct ConnectionsProbe {};

using Target = std::variant<TcpProbe, UdpProbe, A2sProbe, LineProbe, CommandProbe, AliveProbe,
                            ConnectionsProbe>;

struct Probe {
  Target target;
  // The operator's name. A liveness probe and a players probe with the same name are one probe.
  // Each of its tries serves both purposes. Empty: no name.
  std::string name{};
  // Time from the beginning of one try to the next. While the game boots, tries follow each other
  // faster: see `spacing`.
  Duration interval = std::chrono::seconds{2};
  // Time for the answer of one try. A game on this machine answers within one or two of its frames.
  Duration limit = std::chrono::milliseconds{500};
  // The least time between two questions to one port, over all probes of the room. After readiness,
  // probes that share a port divide the interval between them. Some servers ignore clients that ask
  // more than once a second. Use a little more than one second for these servers. During the boot,
  // the time between questions of this probe is an eighth of the time since the start, but at least
  // `spacing` and at most `interval`.
  Duration spacing = std::chrono::milliseconds{50};
};

struct ProbePlan {
  std::vector<Probe> readiness;
  bool said_ready = false;  // the game must also report ready, through its SDK
  std::vector<Probe> liveness;
  std::uint32_t failures = 3;    // one or two lost answers must not end a match
  std::optional<Probe> players;  // udp or command with a pattern, a2s, or connections
};

// The port to which a probe sends its questions.
struct AskedPort {
  Protocol protocol = Protocol::tcp;
  std::string name;

  friend auto operator<=>(const AskedPort&, const AskedPort&) = default;
};
[[nodiscard]] std::optional<AskedPort> asked_port(const Target& target);

// Describes the mistake in the plan for a game with these ports; empty: no mistake.
[[nodiscard]] std::string problem_of(const ProbePlan& plan, const Ports& ports);

}  // namespace fixkeep::probe
