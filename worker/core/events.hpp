// Events happen to a worker; actions are what it does about them. They are the seam between
// RoomHost and its drivers (the Asio shell and the simulator).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "worker/core/memory.hpp"
#include "worker/core/mode_options.hpp"

namespace fixkeep::worker {

// --- events -------------------------------------------------------------------------------------

struct MasterConnected {  // answered with WorkerState, the first message on the connection
  MasterId master;
};
struct MasterDisconnected {
  MasterId master;
};
struct MasterSaid {
  MasterId master;
  wire::Order message;
  // For an order of a room: why its game must not be told the group. Empty: nothing forbids it.
  std::string why_not_told{};
};
// The runner says where the room is: before ProcessBegun or once more for a room of an earlier run.
// Treated as a peer's word: a place that is not valid fails the room.
struct RoomPlaced {
  RoomNumber room;
  wire::RoomPlace place;
};
struct ProcessReady {  // the game process accepts players; a room without a place fails
  RoomNumber room;
};
struct ProcessExited {  // the process has ended, or could not be started at all
  RoomNumber room;
  std::string how;         // "exit code 3: cannot bind", "signal 11", "cannot execute …"
  bool blameless = false;  // it never ran, and the game is not the reason
};
// The number of games that still have a place. The rooms up to `started` are counted already: it is
// the newest room with a performed StartProcess by then. Rooms ordered later are subtracted.
struct PlacesChanged {
  std::optional<std::uint32_t> places;  // nullopt: no limit
  RoomNumber started;
  std::string why{};  // why there are none, and what would have to change; empty: not known
};
struct GameHealthy {  // a sign of life; after the first one the game has to go on giving them
  RoomNumber room;
};
struct ShutdownAsked {  // the game process asks for its end
  RoomNumber room;
};
struct PlayerArrived {  // the game process asks to let a player in; answered with AdmitPlayer
  RoomNumber room;
  PlayerId player;
  std::uint64_t question = 0;
};
struct PlayerLeft {
  RoomNumber room;
  PlayerId player;
};
struct NotReady {  // a game that boots waits for this; the latest reason counts
  RoomNumber room;
  std::string why;
};
struct GameSeen {  // answers LookAtGame; counts only within RoomHostOptions::hears_first
  RoomNumber room;
  Duration waited{};                // total time ready to run, but not scheduled
  std::optional<bool> connected{};  // somebody is connected; nullopt: not known, or not asked
};
struct PlayersCounted {  // the number of players, asked of a game with SeatRule::counted
  RoomNumber room;
  std::uint32_t players = 0;
};
struct PlayersUnknown {  // the game no longer answers that question
  RoomNumber room;
};
struct ProcessBegun {  // its turn has come, and its program runs; see RoomHostOptions::starts_queue
  RoomNumber room;
};
struct GameUnhealthy {  // found from outside: the game no longer answers
  RoomNumber room;
  std::string why;  // reason for the log
};
struct DrainAsked {  // no new players; the room closes when it is empty, or when the time is over
  RoomNumber room;
  std::optional<Duration> most;  // nullopt: no limit of time; the earliest of several ends counts
};
struct DrainModeAsked {  // all rooms of the mode, and no new ones until ResumeModeAsked
  ModeName mode;
  std::optional<Duration> most;
};
struct DrainAllAsked {  // all rooms, and no new ones
  std::optional<Duration> most;
  bool then_stop = false;  // ends in StoppedEmpty; otherwise lasts until ResumeAllAsked
};
struct ResumeModeAsked {
  ModeName mode;
};
struct ResumeAllAsked {};  // modes that were drained stay drained
// The configuration was read again: these are all modes from now on. Existing rooms keep the rules
// that they were started with, even if their mode is gone.
struct ModesChanged {
  std::vector<ModeOptions> modes;
};
// Comes before every other event: the worker goes on from its journal. Each room is answered with
// AdoptProcess. `complete`: nothing of the journal is lost.
struct Recovered {
  Memory memory;
  bool complete = true;
};
struct StopAsked {};   // the worker is to end: close every room, then StoppedEmpty
struct TimePassed {};  // due at or after RoomHost::next_tick()
// Every event that had arrived was stepped: tells each master all changes in one message.
struct BatchEnded {};

using Event =
    std::variant<MasterConnected, MasterDisconnected, MasterSaid, RoomPlaced, ProcessBegun,
                 ProcessReady, ProcessExited, NotReady, GameHealthy, GameUnhealthy, GameSeen,
                 ShutdownAsked, PlayerArrived, PlayerLeft, PlayersCounted, PlayersUnknown,
                 DrainAsked, DrainModeAsked, DrainAllAsked, ResumeModeAsked, ResumeAllAsked,
                 ModesChanged, PlacesChanged, Recovered, StopAsked, TimePassed, BatchEnded>;

// --- actions ------------------------------------------------------------------------------------

struct SendToMaster {
  MasterId master;
  wire::Report message;
  std::optional<wire::Order> answered{};  // the order that this answers, for the log
};
struct StartProcess {  // ends in ProcessExited, whatever happens
  RoomNumber room;
  GroupKey group;  // the group, or its warm pool
  ModeName mode;
  std::uint32_t capacity = 0;
  CreationId creation;
  wire::RequestContext cause{};  // the order's context
};
struct AdoptProcess {  // goes on with a room of an earlier run; always ends in ProcessExited
  StartProcess as;     // how it was started
  std::optional<wire::RoomPlace> place{};  // its place, if it was told
  bool open = false;                       // it has been ready
};
struct RoomGiven {  // a warm room belongs to a group of players from now on
  RoomNumber room;
  GroupKey group;
  CreationId creation;  // the order that gets the room
  wire::RequestContext cause{};
};
struct NeverWarm {  // once a mode: a master wants it warm, but its games must know their group
  ModeName mode;
};
struct GroupRefused {  // refuses an order: the game must not be told its group
  ModeName mode;
  GroupKey group;
  std::string why;
  wire::RequestContext cause{};  // the order's context
};
struct SignalProcess {  // ask it to end (SIGTERM)
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // the room's, for the log
  std::string why;                                     // details; empty: the reason says it all
};
struct KillProcess {  // it had its grace, or gets none (SIGKILL)
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // the room's, for the log
  std::optional<Duration> silence;                     // killed after a silence of this length
};
struct LookAtGame {  // the game, or a seat of it, is about to be ended: answered with GameSeen
  RoomNumber room;
  bool connected = false;  // asks also whether somebody is connected
};
struct AdmitPlayer {
  std::uint64_t question = 0;
  bool admitted = false;
};
struct LogPause {  // a mode whose games fail to boot is paused
  ModeName mode;
  Duration length{};
  std::uint32_t failures = 0;  // consecutive failures
  std::string why;
};
struct StoppedEmpty {      // the worker is to end
  std::uint32_t left = 0;  // games whose end was not seen in time
};

using Action =
    std::variant<SendToMaster, StartProcess, AdoptProcess, RoomGiven, NeverWarm, GroupRefused,
                 SignalProcess, KillProcess, LookAtGame, AdmitPlayer, LogPause, StoppedEmpty>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::worker
