// A lock in Redis for one key on one master: strategy `redlock`, or `redis` with one server.
//
// Source: Redis' documentation of the lock with a random owner value (SET NX PX, compare-and-delete
// by script) and of Redlock, its form for N independent servers. The machine asks all servers in
// parallel. The lock is granted if a majority of the servers sets it and the remaining validity is
// at least ttl / 2. The remaining validity is
//   ttl - (time since the command was sent) - drift,   where drift = ttl / 100 + 2 ms.
// Otherwise the machine frees the lock on all servers, also on servers that have not answered. It
// tries again after a random pause. A holder extends the lock every ttl / 3, again on a majority.
// Five additions to this source:
//   1. tokens      A token is the highest counter of the granting majority, plus one. If that
//                  majority's counters differ, another round first raises all of them to the token.
//                  A majority thus stores every granted token, and the next token is higher.
//   2. fence       A grant needs no fence if four conditions are true: every server of the majority
//                  was clean (redlock_commands.hpp); all values are certain; the newest values
//                  agree; no token that the caller knows is above the servers' highest counter. A
//                  failed attempt leaves a clean server clean.
//   3. restart     A restarted server is used only after it has been up for ttl: it may have
//                  forgotten a lock that is still valid. This rule also applies to a single server.
//                  The driver sends ServerUp only after that time.
//   4. late ones   A release that finds a higher counter writes nothing. Other masters have held
//                  the lock since then, and the release must not undo their record.
//   5. repetition  If a server is up again before the lock expires, the release is sent to it
//                  again.
//
// Fault model: masters crash, or pause and continue. Messages and connections are lost; any delay.
// Servers crash and restart with or without their memory. Clock rates differ by less than 1 %, with
// jumps of less than 2 ms. There are never two holders as long as no server drops a lock before its
// ttl: no eviction (maxmemory-policy noeviction), no FLUSHALL, no fail-over to a replica without
// the last writes. When a paused holder continues, it believes for a moment that it still holds the
// lock. The fence covers this case. A server may lose its memory in a crash unless it persists with
// `appendfsync always`. If fewer than a majority of the servers forget between two acquisitions,
// this only causes additional fences. If a majority forgets, the next holder is still told to
// fence. New tokens then start from the servers' clocks. If these clocks were set back, tokens are
// too low and the workers refuse them. The holder continues above the workers' tokens
// (docs/locks.md, "The fence").
//
// Invariants: 1. While we hold the lock, a majority has set it. At the end of each step, `now` is
//                before `valid_until_`.
//             2. Granted is reported at most once per round, and Lost only for a granted round.
//             3. Each server is sent the release of one owner before the acquire of the next owner.
// Thread rule: a value, one owner. Bounds: O(servers); `most_unanswered` releases are sent again.
// Cost: 2 round trips and 2N messages without contention. Errors: Lost{engine_failure}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "lock/core/server/redlock_commands.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

// --- events

struct ServerReplied {
  std::size_t server = 0;
  std::uint64_t serial = 0;
  RedlockReply said;
};
struct ServerUp {  // the server is reachable and has been up for ttl
  std::size_t server = 0;
};
struct ServerDown {  // outstanding commands will get no answer
  std::size_t server = 0;
};
struct Stop {};  // releases everything; the holder is not notified
using RedlockEvent = std::variant<AskEngine, ServerReplied, ServerUp, ServerDown, Tick, Stop>;

// --- actions: a command to send, a reply to the caller, a timer

struct SendCommand {
  std::size_t server = 0;
  RedlockCommand command;
};
using RedlockAction = std::variant<SendCommand, EngineReply, SetTimer>;
using RedlockActions = std::vector<RedlockAction>;

// Only tests turn a check off, to show its purpose: if any one of the checks is off, two masters
// can hold the lock.
struct RedlockChecks {
  bool owner = true;     // only the owner can release the lock
  bool validity = true;  // a slow acquisition fails
};

struct RedlockOptions {
  MasterId self;
  std::size_t servers = 1;
  Duration ttl{std::chrono::seconds{5}};
  Duration retry{std::chrono::milliseconds{10}};  // mean pause between two attempts
  Duration reply{std::chrono::seconds{1}};        // longest attempt
  RedlockChecks checks;

  [[nodiscard]] std::size_t majority() const { return servers / 2 + 1; }
  [[nodiscard]] Duration drift() const { return ttl / 100 + std::chrono::milliseconds{2}; }
  [[nodiscard]] Duration least_validity() const { return ttl / 2; }
};

class RedlockMachine {
 public:
  static constexpr std::size_t most_unanswered = 4;

  // `up`: the servers whose last event was ServerUp, not ServerDown.
  RedlockMachine(const RedlockOptions& options, ServerSet up) : options_(options), up_(up) {}

  // `random` generates owner values, serials and pauses. In `out`, SetTimer is before the replies
  // to the caller. REQUIRES: AskEngine events follow engine.hpp.
  void step(const RedlockEvent& event, TimePoint now, Random& random, RedlockActions& out);

  [[nodiscard]] bool holding() const { return state_ == State::held; }
  [[nodiscard]] bool idle() const { return state_ == State::idle; }
  // True if a new machine could replace this machine.
  [[nodiscard]] bool forgettable() const { return idle() && unanswered_.empty(); }
  [[nodiscard]] std::string_view state() const;

 private:
  enum class State : std::uint8_t { idle, pausing, asking, raising, held };

  struct Unanswered {  // a release that not every server has answered
    RedlockCommand release;
    ServerSet pending;
    TimePoint until;  // the lock has expired by then
  };

  void on(const AskEngine& ask, TimePoint now, Random& random, RedlockActions& out);
  void on(const ServerReplied& reply, TimePoint now, Random& random, RedlockActions& out);
  void on(const ServerUp& up, TimePoint now, Random& random, RedlockActions& out);
  void on(const ServerDown& down, TimePoint now, Random& random, RedlockActions& out);
  void on(const Tick&, TimePoint, Random&, RedlockActions&) {}
  void on(const Stop&, TimePoint now, Random& random, RedlockActions& out);

  void pass_time(TimePoint now, Random& random, RedlockActions& out);
  void ask(TimePoint now, Random& random, RedlockActions& out);
  void raise(TimePoint now, Random& random, RedlockActions& out);
  void extend(TimePoint now, Random& random, RedlockActions& out);
  void begin_round(ServerSet to, TimePoint now, Random& random);
  void count(const AcquireReply& reply);
  void note(std::size_t server, bool ours);
  void decide(TimePoint now, Random& random, RedlockActions& out);
  void grant(TimePoint now);
  void fail(TimePoint now, Random& random, RedlockActions& out);
  void lose(TimePoint now, Random& random, RedlockActions& out);
  void give_back(ReleaseCommand release, TimePoint now, Random& random, RedlockActions& out);
  void send(ServerSet to, const RedlockCommand& command, RedlockActions& out) const;
  [[nodiscard]] Duration longest_round() const;
  [[nodiscard]] TimePoint valid_until(TimePoint now) const;
  [[nodiscard]] TimePoint deadline() const;

  RedlockOptions options_;
  ServerSet up_;
  State state_ = State::idle;
  std::uint64_t round_ = 0;  // the caller's round
  std::uint64_t used_ = 0;   // counter of the caller's highest token for the key
  std::uint64_t above_ = 0;  // floor of the caller's next token; may come from other keys
  std::string owner_;        // owner value of the attempt, and of the lock that it took

  ServerSet touched_;  // servers that may have the lock of `owner_`

  // The next four members: the current or last round of commands (attempt, raise or extension).
  std::uint64_t serial_ = 0;
  TimePoint sent_;
  ServerSet asked_;  // servers that have not answered yet
  ServerSet yes_;

  // The next five members: from the replies of the servers that granted the attempt.
  std::uint64_t lowest_ = 0, highest_ = 0;  // counters after the attempt
  std::uint64_t known_ = 0;                 // highest counter before the attempt
  bool needs_fence_ = false;
  LockValue value_;

  // pausing: start of the next attempt; asking, raising: end of the attempt; held: next extension
  TimePoint next_;
  TimePoint valid_until_;  // end of the lock's validity, while held
  TimePoint armed_ = TimePoint::max();
  std::vector<EngineReply> said_;       // the current step's replies
  std::vector<Unanswered> unanswered_;  // oldest first
};

}  // namespace fixkeep::lock
