// The options say how a worker finds out from outside whether an unmodified game server is ready,
// still well, and how many play on it. Values only.
//
// Readiness: the game is ready once *every* probe of the list has succeeded once; a probe that has
// is not repeated. An empty list is fulfilled by the start, but for `said_ready`. A line alone is
// weak: some servers print it and then fail to bind; ask the port as well.
// Liveness: from then on each probe of that list is repeated at its interval; `failures` of one
// probe in a row make the game unhealthy, for good.
// Players: one probe, repeated at its interval from readiness on.
// Bounds: those of problem_of(). Errors: problem_of() says in words what is wrong with a plan.
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

// The ports of a room, by the names that the description of the game gives them.
using Ports = std::map<std::string, std::uint16_t>;

// The game accepts a connection on this port.
struct TcpProbe {
  std::string port;
  // A connection is established by the kernel, whether the game is well or not, so the game has to
  // accept it as well. False: for servers that do so only when the client has sent something.
  bool accepted = true;
};

// One packet to the game, and how its answer begins.
struct Exchange {
  // Bytes of the answer to the packet before that belong into this one, such as a token.
  struct Copy {
    std::size_t from = 0;  // in that answer
    std::size_t to = 0;    // in the packet, whose bytes are overwritten
    std::size_t bytes = 0;
  };
  std::string question;
  std::size_t padded_to = 0;  // bytes: zeros follow a shorter question
  std::vector<Copy> copies;
  BytePattern answer;  // another answer is not heard; empty: any
};

struct UdpProbe {
  std::string port;
  std::vector<Exchange> exchanges;       // each after the answer to the one before
  std::optional<PlayerPattern> players;  // in the last answer
};

// Valve's A2S_INFO over UDP, with the round for the challenge.
struct A2sProbe {
  std::string port;
  bool bots_count = false;  // as players; the query counts them among the players
};

// A line of the game's output. As liveness: one such line at least in each interval.
struct LineProbe {
  TextPattern pattern;
};

// A program that is run beside the game, as its user; exit code 0 is well. Whose answer it has
// heard cannot be seen: that is left to the program.
struct CommandProbe {
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::optional<PlayerPattern> players;  // in its output
};

// The game has run for so long. The end of its process is noticed without any probe.
struct AliveProbe {
  Duration after{};
};

// Each TCP connection to one of the game's ports is a player. The game is asked nothing.
struct ConnectionsProbe {};

using Target = std::variant<TcpProbe, UdpProbe, A2sProbe, LineProbe, CommandProbe, AliveProbe,
                            ConnectionsProbe>;

struct Probe {
  Target target;
  // The operator's. A probe of liveness and one of players that have the same name are one, which
  // is asked once for both; an empty one is that of none.
  std::string name{};
  // From the beginning of one try to that of the next. While the game boots the tries come closer:
  // see `spacing`.
  Duration interval = std::chrono::seconds{2};
  Duration limit = std::chrono::milliseconds{500};  // for the answer of one try
  // The least time between two questions to one port, by all probes of the room together; once the
  // game is ready, probes that share a port divide the interval between them. A server
  // that falls silent for a client that asks more than once a second needs a little more than one
  // second here. It is also the time between the first questions of this probe while the game
  // boots; from there it grows to `interval`, as an eighth of the time since the start.
  Duration spacing = std::chrono::milliseconds{50};
};

struct ProbePlan {
  std::vector<Probe> readiness;
  bool said_ready = false;  // the game has to say so itself as well, through its SDK
  std::vector<Probe> liveness;
  std::uint32_t failures = 3;
  std::optional<Probe> players;  // udp or command with a pattern, a2s, or connections
};

// The port that a probe asks.
struct AskedPort {
  Protocol protocol = Protocol::tcp;
  std::string name;

  friend auto operator<=>(const AskedPort&, const AskedPort&) = default;
};
[[nodiscard]] std::optional<AskedPort> asked_port(const Target& target);

// Says what is wrong with the plan, for a game that has these ports; empty: nothing.
[[nodiscard]] std::string problem_of(const ProbePlan& plan, const Ports& ports);

}  // namespace fixkeep::probe
