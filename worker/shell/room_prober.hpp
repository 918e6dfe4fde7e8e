// RoomProber probes a room's game as its description says, and reports to the worker.
//
// It connects a probe::Prober with the room's data: ports, processes, output of the game and the
// function that runs commands for the game. Thread rule: the io_context's thread; handlers may
// destroy the object.
// Bounds: `most_line_bytes` of a line; see the prober. Errors: passed as text to the handlers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "worker/core/events.hpp"
#include "worker/probe/prober.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/shell/game_description.hpp"
#include "worker/shell/game_environment.hpp"

namespace fixkeep::worker {

// Returns the ports of a room by name. If the place does not have a port, this port is 0, where no
// game answers.
[[nodiscard]] probe::Ports ports_of(const GameDescription& game, const wire::RoomPlace& place);

class RoomProber {
 public:
  static constexpr std::size_t most_line_bytes = 4096;  // the rest of a longer line is ignored

  struct Room {
    RoomNumber number;
    const Values& values;
    probe::Ports ports;
    boost::asio::ip::address address;
  };
  // Sends nothing before started() or found_ready() is called. Does not keep the runner alive:
  // without the runner, commands do not run.
  RoomProber(boost::asio::io_context& context, const std::shared_ptr<GameRunner>& runner,
             const GameDescription& game, const Room& room, probe::ProberHandlers handlers);

  void started();
  void found_ready();  // instead of started(), for a game that was ready before

  void said_ready();                  // called by the SDK
  void wrote(std::string_view text);  // a piece of the game's output
  [[nodiscard]] std::string why_not_ready() { return prober_.why_not_ready(); }

 private:
  probe::Prober prober_;
  std::string line_;  // the line that has not ended yet
};

}  // namespace fixkeep::worker
