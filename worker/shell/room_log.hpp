// RoomLog writes the log lines about rooms: one line for each change. The line about the end of a
// room has the reason.
//
// The core knows the reasons that are sent to masters. RoomLog adds facts from the shell, for
// example how long a game was silent, or how long the worker waited for the game.
// Thread rule: the shell's thread. Bounds: one entry for each room with a process; 10 lines a
// second for failures of one kind. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/obs/log_limit.hpp"
#include "worker/core/events.hpp"
#include "worker/core/room_host.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

class RoomLog {
 public:
  explicit RoomLog(const RoomHostOptions& options);
  void set_modes(std::vector<ModeOptions> modes) { modes_ = std::move(modes); }

  void starting(const StartProcess& order, const wire::RoomPlace& place);
  // If `runs` is true, logs that a room of an earlier run continues. Otherwise ended() logs its end
  // soon.
  void adopted(const AdoptProcess& room, bool runs);
  void given(const RoomGiven& room);
  static void never_warm(const ModeName& mode);
  void refused(const GroupRefused& order, TimePoint now);
  void ready(RoomNumber room);  // logged only the first time
  // Logs that players get this address although the game listens only on the loopback device.
  void unreachable(const ModeName& mode, const std::string& address, std::uint16_t port,
                   TimePoint now);
  void silent(RoomNumber room, Duration limit);
  // `why`: details of the reason, if any.
  void closing(RoomNumber room, wire::CloseReason reason, const std::string& why = {});
  // `waited_for`: why a room did not boot in time.
  void killed(RoomNumber room, wire::CloseReason reason, const std::string& waited_for = {});
  void paused(const LogPause& pause, TimePoint now);
  void players_unknown(RoomNumber room, const std::string& why);

  void ended(RoomNumber room, const GameEnd& end, TimePoint now);

 private:
  struct Known {
    std::optional<ModeOptions> mode;  // the mode at the room's start
    bool ready = false;
    bool failed = false;  // the room's end was a failure
    std::string reason;   // reason of the closing; empty: not closing
    CreationId creation;
    wire::RequestContext cause;  // context of the room's order
  };

  Known& known_of(const StartProcess& order);
  [[nodiscard]] std::string in_words(const Known& known, wire::CloseReason reason) const;

  std::vector<ModeOptions> modes_;
  Duration close_empty_after_;
  std::map<RoomNumber, Known> rooms_;
  obs::LogLimit failures_{{.burst = 10}};
};

}  // namespace fixkeep::worker
