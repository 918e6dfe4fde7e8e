// The interface of every lock of the mesh: a sans-IO state machine for ONE key on ONE master.
//
// A machine is a regular value (copyable, comparable). It owns no clock, socket, thread, random
// source or logger. It throws or asserts only if a caller breaks a REQUIRES below. The same code
// runs in a master (through LockTable), in the simulator and in the exhaustive model checker.
//
//   step(event, now, out)   accepts every event and is deterministic. The driver performs the
//                           actions in `out` in their order.
//
// The driver makes these promises. The model checker explores only drivers that keep them:
//   1. Messages between two masters arrive exactly once and in order. Otherwise the connection is
//      reported down.
//   2. A message from an older connection is never delivered after PeerUp of a newer connection.
//   3. When a connection to a peer j is made, the driver sends the result of hello() and passes
//      PeerConnected(j) to step(). Later messages of the machine to j follow this Hello on the same
//      connection.
//   4. step() gets PeerUp(j, hello) when j's Hello arrives, before any other message of that
//      connection. `hello` is the result of hello() that j's machine gave at the start of that
//      connection.
//   5. step() gets PeerDown(j) exactly once for each PeerConnected(j).
//
// Errors: reported as Lost. Bounds: state is O(masters).
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/lock_strategies.hpp"
#include "common/base/time.hpp"
#include "lock/core/messages.hpp"
#include "lock/core/rules.hpp"

namespace fixkeep::lock {

// --- events

struct Acquire {};     // REQUIRES: not waiting, not holding
struct Abandon {};     // gives up waiting; no effect when idle. REQUIRES: not holding
struct Release {       // REQUIRES: holding
  FencingToken token;  // highest token that the holder used or received during the hold
  LockValue value;     // `stamp` is the token of the hold that wrote it
};
struct Receive {
  MasterId from;
  LockMessage message;
};
struct PeerConnected {
  MasterId peer;
};
struct PeerUp {
  MasterId peer;
  std::optional<LockMessage> hello;  // the peer's outstanding request or hold for this key, if any
};
struct PeerDown {
  MasterId peer;
};
// The join grace is over. The machine no longer waits for peers that have sent no Hello since the
// start.
struct JoinGraceLapsed {};
// Our list of masters has changed or a dispute about the list has begun or ended. The driver has
// already passed PeerDown to step() for each removed master.
struct MastersListed {
  std::vector<MasterId> configured;  // see MeshView
  bool disputed = false;             // a linked peer has a different list
};
struct Tick {};  // the time set by the last SetTimer has come

using LockEvent = std::variant<Acquire, Abandon, Release, Receive, PeerConnected, PeerUp, PeerDown,
                               JoinGraceLapsed, MastersListed, Tick>;

// --- actions

struct Send {
  MasterId to;
  LockMessage message;
};
struct Granted {
  FencingToken token;
  LockValue value;
  bool needs_fence = false;  // true: the holder must fence, or must release an `uncertain` value
};
enum class LostReason : std::uint8_t {
  wait_timeout,    // LockTableOptions::wait passed without the lock
  lease_timeout,   // lock.lease_ms passed while holding
  engine_failure,  // the lock's server is unreachable or has refused
};
struct Lost {  // the wait or the hold of the caller is over
  LostReason reason = LostReason::wait_timeout;
};
struct SetTimer {  // sets the machine's only timer to a time after now; max() cancels it
  TimePoint at;
};
// Used only by Remote (remote.hpp), whose lock is in a server.
struct AskEngine {
  enum class Call : std::uint8_t { acquire, abandon, release };
  Call call = Call::acquire;
  std::uint64_t round = 0;
  FencingToken token;  // acquire: highest known token; release: Release::token
  LockValue value;     // release: Release::value
  // acquire: the granted token has to be above this floor. The floor may come from other keys, so a
  // lower counter at the server is no loss.
  std::uint64_t floor = 0;
};

using LockAction = std::variant<Send, Granted, Lost, SetTimer, AskEngine>;
using LockActions = std::vector<LockAction>;

// --- construction

// The state of the mesh when a machine is made for a new key.
struct MeshView {
  MasterId self;
  std::vector<MasterId> configured;  // every other master of the configuration, ascending
  std::vector<MasterId> connected;   // peers that have our Hello, ascending
  std::vector<MasterId> up;          // peers whose Hello we have, ascending
  // True if every configured master has sent a Hello since our start, and in the last two leases
  // the table was never too full to store a message.
  bool met = false;
  bool joined = false;    // all have sent a Hello, or the grace has lapsed
  bool disputed = false;  // a linked peer has a different list of masters
  // The highest round that a forgotten machine of this key can have used.
  std::uint64_t used_rounds = 0;
  Duration lease{std::chrono::seconds{5}};  // longest hold of any master; the table enforces it
  Duration since_loss{};  // time since the latest of: our start, a lost peer, a forgotten message
  Quorum quorum = Quorum::grid;
  Rules rules;
};

// The functions of a strategy that LockTable, the simulator and the model checker call.
template <class Machine>
concept LockMachine = std::copyable<Machine> && std::equality_comparable<Machine> &&
    std::constructible_from<Machine, const MeshView&> &&
    requires(Machine machine, const Machine& seen, const LockEvent& event, LockActions& out,
             std::string& bytes) {
  machine.step(event, TimePoint{}, out);
  { seen.hello() } -> std::same_as<std::optional<LockMessage>>;
  { seen.state() } -> std::same_as<std::string_view>;
  { seen.holding() } -> std::same_as<bool>;
  // True if the key is idle, as far as this machine knows. A new machine could then replace this
  // machine.
  { seen.forgettable() } -> std::same_as<bool>;
  { seen.round() } -> std::same_as<std::uint64_t>;  // last round used
  { seen.highest() } -> std::same_as<FencingToken>;
  machine.raise(std::uint64_t{});                      // every later token is above this floor
  { seen.value() } -> std::same_as<const LockValue&>;  // newest known value
  seen.append_bytes(bytes);  // the whole state: two machines are equal exactly if these bytes are
                             // equal
  { Machine::kind_name(std::uint8_t{}) } -> std::same_as<std::string_view>;
};

}  // namespace fixkeep::lock
