// Events happen to a worker, and actions are what it does about them: they are the seam between
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
  // An order of a room: why its game must not be told the group. Empty: it may, or there is none.
  std::string why_not_told{};
};
// Whoever runs the room's game says where it is, before ProcessBegun, or of a room of an earlier
// run once more. It is taken for a peer's word: a place that is not valid fails the room.
struct RoomPlaced {
  RoomNumber room;
  wire::RoomPlace place;
};
struct ProcessReady {  // the game process accepts players; a room without a place fails
  RoomNumber room;
};
struct ProcessExited {  // or could not be started at all
  RoomNumber room;
  std::string how;         // "exit code 3: cannot bind", "signal 11", "cannot execute …"
  bool blameless = false;  // it never ran, and not for a reason that lies in the game
};
// So many more games could be placed, beside those of the rooms up to `started`: that is the newest
// room whose StartProcess was performed by then. Rooms that are ordered after it are subtracted.
struct PlacesChanged {
  std::optional<std::uint32_t> places;  // none: nothing sets a limit
  RoomNumber started;
  std::string why{};  // there are none, and what would have to change; empty: it is not known
};
struct GameHealthy {  // a sign of life; a game that has given one has to go on giving them
  RoomNumber room;
};
struct ShutdownAsked {  // by the game process
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
struct NotReady {  // a game that boots waits for this; the latest word counts
  RoomNumber room;
  std::string why;
};
struct GameSeen {  // answers LookAtGame, within RoomHostOptions::hears_first if it is to count
  RoomNumber room;
  Duration waited{};                // it was ready to run and was not scheduled, in all
  std::optional<bool> connected{};  // somebody is; none: nobody knows, or nobody asked
};
struct PlayersCounted {  // the game was asked how many play; of a mode with SeatRule::counted
  RoomNumber room;
  std::uint32_t players = 0;
};
struct PlayersUnknown {  // the game does not answer that question any more
  RoomNumber room;
};
struct ProcessBegun {  // its turn has come, and its program runs; see RoomHostOptions::starts_queue
  RoomNumber room;
};
struct GameUnhealthy {  // found from outside: it does not answer any more
  RoomNumber room;
  std::string why;  // for the log
};
struct DrainAsked {  // no new players; the room closes when it is empty, or when the time is over
  RoomNumber room;
  std::optional<Duration> most;  // none: as long as it takes; of several the earliest end counts
};
struct DrainModeAsked {  // all rooms of the mode, and no new ones until ResumeModeAsked
  ModeName mode;
  std::optional<Duration> most;
};
struct DrainAllAsked {  // all rooms, and no new ones
  std::optional<Duration> most;
  bool then_stop = false;  // StoppedEmpty follows; else until ResumeAllAsked
};
struct ResumeModeAsked {
  ModeName mode;
};
struct ResumeAllAsked {};  // modes that were drained stay so
// The configuration was read again: these are all modes from now on. Rooms that there are go on by
// the rules that they were started with, also those of a mode that is gone.
struct ModesChanged {
  std::vector<ModeOptions> modes;
};
// Before every other event: the worker goes on with what its journal remembers. Each room is
// answered with AdoptProcess. `complete`: nothing of it is lost.
struct Recovered {
  Memory memory;
  bool complete = true;
};
struct StopAsked {};   // the worker is to end: close every room, then StoppedEmpty
struct TimePassed {};  // at or after RoomHost::next_tick()
// Everything that had arrived has been stepped: tells the masters all changes in one message each.
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
  std::optional<wire::Order> answered{};  // by it, for the log
};
struct StartProcess {  // ends in ProcessExited, whatever happens
  RoomNumber room;
  GroupKey group;  // or its warm pool
  ModeName mode;
  std::uint32_t capacity = 0;
  CreationId creation;
  wire::RequestContext cause{};  // of the order
};
struct AdoptProcess {  // of a room that was there before us; ends in ProcessExited like any other
  StartProcess as;     // it was started
  std::optional<wire::RoomPlace> place{};  // it was told, if it was
  bool open = false;                       // it has been ready
};
struct RoomGiven {  // a warm room belongs to a group of players from now on
  RoomNumber room;
  GroupKey group;
  CreationId creation;  // the order that it was given to
  wire::RequestContext cause{};
};
struct NeverWarm {  // a master wants warm rooms of a mode whose games must know their group; once
  ModeName mode;
};
struct GroupRefused {  // an order, since the game must not be told its group
  ModeName mode;
  GroupKey group;
  std::string why;
  wire::RequestContext cause{};  // of the order
};
struct SignalProcess {  // ask it to end (SIGTERM)
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // of the room, for the log
  std::string why;                                     // more about it; empty: that says it all
};
struct KillProcess {  // it had its grace, or gets none (SIGKILL)
  RoomNumber room;
  wire::CloseReason reason = wire::CloseReason::none;  // of the room, for the log
  std::optional<Duration> silence;  // killed since it gave no sign of life for so long
};
struct LookAtGame {  // it is about to be ended, or a seat of it is: answered with GameSeen
  RoomNumber room;
  bool connected = false;  // whether somebody is connected is asked as well
};
struct AdmitPlayer {
  std::uint64_t question = 0;
  bool admitted = false;
};
struct LogPause {  // a mode whose games fail to boot is paused
  ModeName mode;
  Duration length{};
  std::uint32_t failures = 0;  // in a row
  std::string why;
};
struct StoppedEmpty {      // the worker is to end
  std::uint32_t left = 0;  // games of which nobody has seen the end in time
};

using Action =
    std::variant<SendToMaster, StartProcess, AdoptProcess, RoomGiven, NeverWarm, GroupRefused,
                 SignalProcess, KillProcess, LookAtGame, AdmitPlayer, LogPause, StoppedEmpty>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::worker
