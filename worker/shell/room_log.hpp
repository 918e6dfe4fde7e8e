// RoomLog writes the lines about rooms: each change once, and each end with its reason.
//
// The core knows why a room closes as far as masters must know; what the shell knows beyond that,
// such as that a game was silent or how long it was waited for, is put into words here.
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
  // A room of an earlier run of the worker goes on, or ends at once if its game does not run.
  void adopted(const AdoptProcess& room, bool runs);
  void given(const RoomGiven& room);
  static void never_warm(const ModeName& mode);
  void refused(const GroupRefused& order, TimePoint now);
  void ready(RoomNumber room);  // said the first time only
  // Players are told this address, and its game listens at the loopback device alone.
  void unreachable(const ModeName& mode, const std::string& address, std::uint16_t port,
                   TimePoint now);
  void silent(RoomNumber room, Duration limit);
  // `why`: more about the reason; empty: that says it all.
  void closing(RoomNumber room, wire::CloseReason reason, const std::string& why = {});
  // `waited_for`: of a room that did not boot in time.
  void killed(RoomNumber room, wire::CloseReason reason, const std::string& waited_for = {});
  void paused(const LogPause& pause, TimePoint now);
  void players_unknown(RoomNumber room, const std::string& why);

  void ended(RoomNumber room, const GameEnd& end, TimePoint now);

 private:
  struct Known {
    std::optional<ModeOptions> mode;  // as it was when the room was started
    bool ready = false;
    bool failed = false;  // its end is no good one
    std::string reason;   // why it closes; empty: it does not
    CreationId creation;
    wire::RequestContext cause;  // of its order
  };

  Known& known_of(const StartProcess& order);
  [[nodiscard]] std::string in_words(const Known& known, wire::CloseReason reason) const;

  std::vector<ModeOptions> modes_;
  Duration close_empty_after_;
  std::map<RoomNumber, Known> rooms_;
  obs::LogLimit failures_{{.burst = 10}};
};

}  // namespace fixkeep::worker
