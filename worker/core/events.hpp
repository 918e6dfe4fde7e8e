// Events happen to a worker; actions (actions.hpp) are its reactions. Together they are the
// interface between RoomHost and its drivers (the Asio shell and the simulator).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "worker/core/actions.hpp"
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
  // If the message orders a room: why the attributes of the room's group must not reach the game.
  // Empty: they may reach it.
  std::string why_not_told{};
};
// The runner reports the room's place: before ProcessBegun, or again for a room of an earlier run.
// The report is not trusted: a room with an invalid place fails.
struct RoomPlaced {
  RoomNumber room;
  wire::RoomPlace place;
};
struct ProcessReady {  // the game process accepts players; a room without a place fails
  RoomNumber room;
};
struct ProcessExited {  // the process has ended, or could not be started
  RoomNumber room;
  std::string how;         // "exit code 3: cannot bind", "signal 11", "cannot execute …"
  bool blameless = false;  // the process never ran; this is not the game's fault
};
// Free places for games. `started` is the newest room whose StartProcess was performed. Rooms up to
// `started` already have their places; each later room takes one of the free places.
struct PlacesChanged {
  std::optional<std::uint32_t> places;  // nullopt: no limit
  RoomNumber started;
  std::string why{};  // why no place is free, and what must change; empty: not known
};
struct GameHealthy {  // a sign of life; after its first sign, the game must send more signs
  RoomNumber room;
};
struct ShutdownAsked {  // the game process requests its own end
  RoomNumber room;
};
struct PlayerArrived {  // the game process asks to admit a player; answered with AdmitPlayer
  RoomNumber room;
  PlayerId player;
  std::uint64_t question = 0;
};
struct PlayerLeft {
  RoomNumber room;
  PlayerId player;
};
// The game decides whether its room takes newcomers (common/base/newcomers.hpp). The event may be
// repeated.
struct NewcomersDecided {
  RoomNumber room;
  NewcomersWord word = NewcomersWord::none;
  std::optional<Wants> wants{};  // the game says which players it wants; it says no word then
};
// The game says the result of its room; answered with AnswerResult, for a new result after
// RoomHost::results_written().
struct ResultSaid {
  RoomNumber room;
  std::string value;  // JSON of at most wire::limits::result_bytes
  std::uint64_t question = 0;
};
struct NotReady {  // why a booting game is not ready; the latest reason counts
  RoomNumber room;
  std::string why;
};
struct GameSeen {  // answers LookAtGame; decisions wait for it for RoomHostOptions::hears_first
  RoomNumber room;
  Duration waited{};                // total time in which the game waited for a processor
  std::optional<bool> connected{};  // a client is connected; nullopt: not known, or not asked
};
struct PlayersCounted {  // the number of players in a game with SeatRule::counted
  RoomNumber room;
  std::uint32_t players = 0;
};
struct PlayersUnknown {  // the game no longer answers with its number of players
  RoomNumber room;
};
struct ProcessBegun {  // the process left the queue and runs; see RoomHostOptions::starts_queue
  RoomNumber room;
};
struct GameUnhealthy {  // an outside check found that the game no longer answers
  RoomNumber room;
  std::string why;  // reason for the log
};
struct DrainAsked {  // the room takes no new players, and closes when it is empty or after `most`
  RoomNumber room;
  std::optional<Duration> most;  // nullopt: no limit. Of several limits, the earliest counts
};
struct DrainModeAsked {  // drains all rooms of the mode; no new rooms until ResumeModeAsked
  ModeName mode;
  std::optional<Duration> most;
};
struct DrainAllAsked {  // drains all rooms; the worker takes no new rooms
  std::optional<Duration> most;
  bool then_stop = false;  // the drain ends in StoppedEmpty; false: it lasts until ResumeAllAsked
};
struct ResumeModeAsked {
  ModeName mode;
};
struct ResumeAllAsked {};  // modes drained by DrainModeAsked stay drained
// The configuration was read again: `modes` are all modes from now on. Existing rooms keep the
// rules of their start, even if their mode is gone.
struct ModesChanged {
  std::vector<ModeOptions> modes;
};
// The first event: the worker continues from its journal. RoomHost answers with an AdoptProcess for
// each room. `complete`: no part of the journal is lost.
struct Recovered {
  Memory memory;
  bool complete = true;
};
struct StopAsked {};   // the worker must close every room and then answer StoppedEmpty
struct TimePassed {};  // due at or after RoomHost::next_tick()
// All events that had arrived were passed to step(). RoomHost now sends each master all changes in
// one message.
struct BatchEnded {};

using Event =
    std::variant<MasterConnected, MasterDisconnected, MasterSaid, RoomPlaced, ProcessBegun,
                 ProcessReady, ProcessExited, NotReady, GameHealthy, GameUnhealthy, GameSeen,
                 ShutdownAsked, PlayerArrived, PlayerLeft, NewcomersDecided, ResultSaid,
                 PlayersCounted, PlayersUnknown, DrainAsked, DrainModeAsked, DrainAllAsked,
                 ResumeModeAsked, ResumeAllAsked, ModesChanged, PlacesChanged, Recovered, StopAsked,
                 TimePassed, BatchEnded>;

}  // namespace fixkeep::worker
