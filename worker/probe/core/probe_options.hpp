// The options say how a worker finds out from outside whether an unmodified game server is ready
// and still well, and how many players it has. Values only.
//
// Readiness: the game is ready once *every* probe of the list has succeeded once. A succeeded probe
// is not repeated. An empty list is fulfilled by the start except for `said_ready`. A line alone is
// weak: some servers print it and then fail to bind; ask the port as well. Liveness: from then on
// each probe of that list is repeated at its interval. If one probe fails `failures` times in a
// row, the game is unhealthy for good. Players: one probe is repeated at its interval from
// readiness on. Bounds: see problem_of(). Errors: problem_of() describes a mistake in a plan.
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

// The ports of a room by their names in the description of the game.
using Ports = std::map<std::string, std::uint16_t>;

// The game accepts a connection on this port. The kernel establishes a connection even if the game
// is not well, so its word is not enough.
struct TcpProbe {
  std::string port;
};

// One packet to the game and how its answer begins.
struct Exchange {
  // Copies bytes of the previous answer (for example a token) into this packet.
  struct Copy {
    std::size_t from = 0;  // offset in the previous answer
    std::size_t to = 0;    // offset in the packet, whose bytes are overwritten
    std::size_t bytes = 0;
  };
  std::string question;
  std::size_t padded_to = 0;  // size in bytes: zeros follow a shorter question
  std::vector<Copy> copies;
  BytePattern answer;  // other answers are not heard; empty: any
};

struct UdpProbe {
  std::string port;
  std::vector<Exchange> exchanges;       // sent one by one, each after the answer before
  std::optional<PlayerPattern> players;  // pattern for the last answer
};

// Valve's A2S_INFO over UDP with the round for the challenge. It counts bots among the players.
// They are none here: a bot makes room for a player, so its seat is free.
struct A2sProbe {
  std::string port;
};

// A line of the game's output. As liveness: at least one line in each interval.
struct LineProbe {
  TextPattern pattern;
};

// A program that runs beside the game as its user. Exit code 0 is well. The program alone knows
// which process answered it.
struct CommandProbe {
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::optional<PlayerPattern> players;  // pattern for its output
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
  // The operator's name. A liveness probe and a players probe of the same name are one probe and
  // asked once for both. An empty name is no name.
  std::string name{};
  // Time from the beginning of one try to the next. Tries are closer while the game boots: see
  // `spacing`.
  Duration interval = std::chrono::seconds{2};
  // Time for the answer of one try: a game on this machine answers within a frame or two.
  Duration limit = std::chrono::milliseconds{500};
  // The least time between two questions to one port by all probes of the room. Once the game is
  // ready, probes that share a port divide the interval between them. Some servers fall silent if a
  // client asks more than once a second: use a little more than one second for them. While the game
  // boots it is also the time between this probe's first questions. It grows to `interval` as an
  // eighth of the time since the start.
  Duration spacing = std::chrono::milliseconds{50};
};

struct ProbePlan {
  std::vector<Probe> readiness;
  bool said_ready = false;  // the game has to say so too, through its SDK
  std::vector<Probe> liveness;
  std::uint32_t failures = 3;    // one lost answer is no reason to end a match, and neither are two
  std::optional<Probe> players;  // udp or command with a pattern, a2s, or connections
};

// The port that a probe asks.
struct AskedPort {
  Protocol protocol = Protocol::tcp;
  std::string name;

  friend auto operator<=>(const AskedPort&, const AskedPort&) = default;
};
[[nodiscard]] std::optional<AskedPort> asked_port(const Target& target);

// Describes the mistake in the plan for a game with these ports; empty: no mistake.
[[nodiscard]] std::string problem_of(const ProbePlan& plan, const Ports& ports);

}  // namespace fixkeep::probe
