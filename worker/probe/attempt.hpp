// An Attempt is one try of one probe, by sockets or a command. The Prober drives it.
//
// An attempt ends only once: in give_up(), or when it calls `ended`. The function that begins the
// attempt can already call `ended`. Destroying an attempt ends it without a call.
// Thread rule: the io_context's thread. Bounds: a try reads at most `most_datagrams` datagrams.
// Each datagram is cut after `most_datagram_bytes`.
// Errors: Failure.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "worker/probe/core/dialog.hpp"
#include "worker/probe/core/players.hpp"
#include "worker/probe/core/reasons.hpp"
#include "worker/probe/room_sockets.hpp"

namespace fixkeep::probe {

inline constexpr int most_datagrams = 64;
inline constexpr std::size_t most_datagram_bytes = 4096;

struct Success {
  std::optional<PlayerCount> players;
};
using Outcome = std::variant<Success, Failure>;

class Attempt {
 public:
  using Ended = std::function<void(Outcome)>;

  explicit Attempt(Ended ended) : ended_(std::move(ended)) {}
  virtual ~Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Sends the current question once more.
  virtual void ask_again() {}
  // Ends the attempt at its time limit. Returns the outcome. If an answer has arrived but was not
  // read yet, it counts.
  [[nodiscard]] Outcome give_up() {
    ended_ = nullptr;
    return outcome_at_limit();
  }

 protected:
  [[nodiscard]] virtual Outcome outcome_at_limit() = 0;
  [[nodiscard]] bool has_ended() const { return !ended_; }
  void end(Outcome outcome) {
    if (const auto ended = std::exchange(ended_, nullptr)) ended(std::move(outcome));
  }

 private:
  Ended ended_;  // null after it was called
};

// The end of a command that was run beside a game.
struct CommandEnd {
  int exit_code = -1;  // -1: not started, killed, or still running at the limit
  std::string how;     // "exit code 3", "cannot be executed: …"
  std::string output;  // the command's output, cut off at most_text_bytes
};
using RunCommand = std::function<void(const std::vector<std::string>& command, Duration limit,
                                      std::function<void(CommandEnd)> done)>;

// REQUIRES, for each function: `sockets` outlives the attempt.
[[nodiscard]] std::shared_ptr<Attempt> begin_udp(boost::asio::io_context& context,
                                                 RoomSockets& sockets, const std::string& port,
                                                 Dialog dialog, Attempt::Ended ended);
[[nodiscard]] std::shared_ptr<Attempt> begin_tcp(boost::asio::io_context& context,
                                                 RoomSockets& sockets, const TcpProbe& probe,
                                                 Attempt::Ended ended);
[[nodiscard]] std::shared_ptr<Attempt> begin_connections(boost::asio::io_context& context,
                                                         RoomSockets& sockets,
                                                         Attempt::Ended ended);
[[nodiscard]] std::shared_ptr<Attempt> begin_command(const RunCommand& run,
                                                     const CommandProbe& probe, Duration limit,
                                                     Attempt::Ended ended);

}  // namespace fixkeep::probe
