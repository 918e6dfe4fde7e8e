// Actions are the reactions of a worker's RoomHost to events (events.hpp). The driver performs
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result_answer.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

struct SendToMaster {
  MasterId master;
  wire::Report message;
  std::optional<wire::Order> answered{};  // the order that the reply answers, for the log
};
struct StartProcess {  // ProcessExited always follows later
  RoomNumber room;
  GroupKey group;  // the group, or the pool of a warm room
  ModeName mode;
  std::uint32_t capacity = 0;
  CreationId creation;
  wire::RequestContext cause{};  // the order's context
  std::optional<wire::MatchFacts> match{};
};
struct AdoptProcess {  // continues a room of an earlier run; ProcessExited always follows
  StartProcess as;     // the values with which the room was started
  std::optional<wire::RoomPlace> place{};  // the room's place, if known
  bool open = false;                       // the game was already ready
};
struct RoomGiven {  // a warm room belongs to a group of players from now on
  RoomNumber room;
  GroupKey group;
  CreationId creation;  // the order that gets the room
  wire::RequestContext cause{};
  std::optional<wire::MatchFacts> match{};
};
struct TellMatch {  // players have joined or left the room's match
  RoomNumber room;
  GroupKey group;
  wire::MatchFacts match;
};
struct NeverWarm {  // a master wants warm rooms of a mode whose games need a group; sent only once
                    // for each mode
  ModeName mode;
};
struct GroupRefused {  // an order was refused, because its game must not receive the group
  ModeName mode;
  GroupKey group;
  std::string why;
  wire::RequestContext cause{};  // the order's context
};
struct SignalProcess {  // ask the process to end (SIGTERM)
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // the room's close reason, for the log
  std::string why;                                     // details, if any
};
struct KillProcess {  // kill the process (SIGKILL); its grace is over, or it gets no grace
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // the room's close reason, for the log
  std::optional<Duration> silence;                     // set if the game was silent for this long
};
struct LookAtGame {  // check a game, for example before its end; answered with GameSeen
  RoomNumber room;
  bool connected = false;  // also ask whether a client is connected
};
struct AdmitPlayer {
  std::uint64_t question = 0;
  bool admitted = false;
};
struct AnswerResult {
  std::uint64_t question = 0;
  ResultAnswer answer = ResultAnswer::kept;
};
struct LogPause {  // a mode whose games fail to boot is paused
  ModeName mode;
  Duration length{};
  std::uint32_t failures = 0;  // consecutive failures
  std::string why;
};
struct StoppedEmpty {      // the worker can exit
  std::uint32_t left = 0;  // games whose end was not reported in time
};

using Action = std::variant<SendToMaster, StartProcess, AdoptProcess, RoomGiven, TellMatch,
                            NeverWarm, GroupRefused, SignalProcess, KillProcess, LookAtGame,
                            AdmitPlayer, AnswerResult, LogPause, StoppedEmpty>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::worker
