// The interface of every lock of the mesh: a sans-IO state machine for ONE key on ONE master.
//
// A machine is a regular value (copyable, comparable). It owns no clock, socket, thread, random
// source or logger. No input makes it throw or assert except a caller that breaks a REQUIRES below.
// The master's links (through LockTable), the simulator and the exhaustive model checker drive the
// same object.
//
//   step(event, now, out)   total and deterministic; the order of the actions in `out` is the
//                           contract: the driver performs them in that order.
//
// The driver promises, and the model checker explores nothing else:
//   1. Messages between two masters arrive once and in order, or the connection is reported down.
//   2. A message of an older connection is never delivered after PeerUp of a newer one.
//   3. When a connection to j is made, hello() is taken and sent, and PeerConnected(j) is stepped.
//      Later messages of the machine to j follow the Hello on the same connection.
//   4. PeerUp(j, hello) is stepped when j's Hello arrives, before any other message of that
//      connection. `hello` is the answer of j's machine when that connection was made.
//   5. PeerDown(j) is stepped once for each PeerConnected(j).
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
  FencingToken token;  // the highest token that the holder used or was told of while it held
  LockValue value;     // `stamp` is the token under which it was written
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
  std::optional<LockMessage> hello;  // the peer's outstanding wish for this key, if any
};
struct PeerDown {
  MasterId peer;
};
// The grace after start is over: peers that have not been heard of by now are not waited for.
struct JoinGraceLapsed {};
// The list of masters has changed here, or the linked masters' agreement on it has. Removed masters
// were reported down before.
struct MastersListed {
  std::vector<MasterId> configured;  // see MeshView
  bool disputed = false;             // a peer that is linked has another list
};
struct Tick {};  // the time of an earlier SetTimer has come

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
  bool needs_fence = false;  // a holder that does not fence must release an `uncertain` value
};
enum class LostReason : std::uint8_t {
  wait_timeout,    // LockOptions::wait passed without the lock
  lease_timeout,   // lock.lease_ms passed while holding
  engine_failure,  // the lock's server is gone or said no
};
struct Lost {  // the caller neither waits nor holds any more
  LostReason reason = LostReason::wait_timeout;
};
struct SetTimer {  // one timer a machine: later than now; replaces an earlier one; max() cancels it
  TimePoint at;
};
// Used by Remote (remote.hpp) only: its lock lives in a server.
struct AskEngine {
  enum class Call : std::uint8_t { acquire, abandon, release };
  Call call = Call::acquire;
  std::uint64_t round = 0;
  FencingToken token;  // acquire: the highest known; release: that of Release
  LockValue value;     // release: that of Release
  // acquire: the token has to be above it. Unlike `token` it may stem from forgotten keys, so it is
  // no sign of a server's lost memory.
  std::uint64_t floor = 0;
};

using LockAction = std::variant<Send, Granted, Lost, SetTimer, AskEngine>;
using LockActions = std::vector<LockAction>;

// --- construction

// The mesh as it is when a machine for a new key is made.
struct MeshView {
  MasterId self;
  std::vector<MasterId> configured;  // every other master of the configuration, ascending
  std::vector<MasterId> connected;   // peers that have our Hello, ascending
  std::vector<MasterId> up;          // peers whose Hello has come, ascending
  // All configured masters were heard of once since the start, and nothing of it was forgotten. It
  // is false for two leases after a table was too full to remember a message.
  bool met = false;
  bool joined = false;    // all were heard of once, or the grace has lapsed
  bool disputed = false;  // a peer that is linked has another list of masters
  // Rounds up to this one may have been used by an earlier machine of the same key, since
  // forgotten.
  std::uint64_t used_rounds = 0;
  Duration lease{std::chrono::seconds{5}};  // longest hold of any master; the table enforces it
  Duration since_loss{};  // time since a configured master went down, or since we started or forgot
  Quorum quorum = Quorum::grid;
  Rules rules;
};

// LockTable, the simulator and the model checker need this of a strategy.
template <class Machine>
concept LockMachine = std::copyable<Machine> && std::equality_comparable<Machine> &&
    std::constructible_from<Machine, const MeshView&> &&
    requires(Machine machine, const Machine& seen, const LockEvent& event, LockActions& out,
             std::string& bytes) {
  machine.step(event, TimePoint{}, out);
  { seen.hello() } -> std::same_as<std::optional<LockMessage>>;
  { seen.state() } -> std::same_as<std::string_view>;
  { seen.holding() } -> std::same_as<bool>;
  // The key is idle, as far as this machine knows: a fresh machine would do as well.
  { seen.forgettable() } -> std::same_as<bool>;
  { seen.round() } -> std::same_as<std::uint64_t>;  // the last one used
  { seen.highest() } -> std::same_as<FencingToken>;
  machine.raise(std::uint64_t{});  // no token is granted at or below this floor from now on
  { seen.value() } -> std::same_as<const LockValue&>;  // the newest known
  seen.append_bytes(bytes);  // all of its state: two machines are equal exactly if their bytes are
  { Machine::kind_name(std::uint8_t{}) } -> std::same_as<std::string_view>;  // a kind's name
};

}  // namespace fixkeep::lock
