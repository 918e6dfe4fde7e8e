// A lock in Redis for one key on one master: strategy `redlock`, or `redis` with one server.
//
// Source: Redis' documentation of the lock with a random owner value (SET NX PX, compare-and-delete
// by script) and of Redlock, its form for N independent servers. All servers are asked in parallel.
// The lock is granted if a majority says yes and the validity that is left,
//   ttl - (time since the question was sent) - drift,   drift = ttl / 100 + 2 ms,
// is at least ttl / 2. Otherwise it is freed everywhere, also where no answer came. Another try
// follows after a random pause. A holder extends the lock every third of ttl. A majority must
// extend it. Made whole in five places:
//   1. tokens      The highest counter of the granting majority, plus one. If the counters of that
//                  majority differ, one more round raises them to the token before the grant. A
//                  majority thus stores every granted token, and the next is higher.
//   2. fence       `needs_fence` is said unless every server of the majority was clean
//                  (redlock_commands.hpp) and all values are certain. The newest values must agree.
//                  No counter may miss a token that the caller knows. A failed attempt leaves a
//                  clean server clean.
//   3. restart     A restarted server counts only after it has been up for ttl: it may have
//                  forgotten a lock that still holds. A single server is no exception. The driver
//                  sends ServerUp only then.
//   4. late ones   A release that meets a higher counter writes nothing. Others have held the lock
//                  since. It must not undo their record.
//   5. repetition  A release is sent again to a server that comes back before the lock lapses.
//
// Fault model: masters crash, stop and go on. Messages and connections are lost, any delay. Servers
// crash and restart with or without their memory. Rates of clocks differ by less than 1 %, with
// jumps of less than 2 ms. Never two holders as long as a set lock stays set: no eviction
// (maxmemory-policy noeviction), no FLUSHALL, no fail-over to a replica without the last writes. A
// stopped holder that goes on believes for a moment that it still holds. The fence is for it.
// Servers without persistence or `appendfsync always` may lose their memory in a crash. Fewer than
// a majority between two acquisitions cost no more than fences. If a majority forgets, the first
// holder is told to fence all the same. Tokens go on by the servers' clocks. If the clocks were set
// back, tokens start low and the workers refuse. The holder goes on above them (docs/locks.md, "The
// fence").
//
// Invariants: 1. If held, a majority set the lock. At the end of each step now is before
//                `valid_until_`.
//             2. Granted is said at most once a round. Lost is said only of a granted round.
//             3. To each server the release of one owner is sent before the acquire of the next.
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
struct ServerUp {  // can be asked, and has been up for ttl
  std::size_t server = 0;
};
struct ServerDown {  // open questions will get no answer
  std::size_t server = 0;
};
struct Stop {};  // gives everything back; the holder is not told
using RedlockEvent = std::variant<AskEngine, ServerReplied, ServerUp, ServerDown, Tick, Stop>;

// --- actions: to send, to tell the caller, to call again by then

struct SendCommand {
  std::size_t server = 0;
  RedlockCommand command;
};
using RedlockAction = std::variant<SendCommand, EngineReply, SetTimer>;
using RedlockActions = std::vector<RedlockAction>;

// Tests alone leave these out to show their purpose: two masters hold the lock without either.
struct RedlockChecks {
  bool owner = true;     // a release is the owner's alone
  bool validity = true;  // a slow acquisition does not count
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

  // `up`: the servers with ServerUp and no ServerDown since.
  RedlockMachine(const RedlockOptions& options, ServerSet up) : options_(options), up_(up) {}

  // `random` is asked for owner values, serials and pauses. In `out` a SetTimer comes before what
  // the caller is told. REQUIRES of AskEngine: what engine.hpp says.
  void step(const RedlockEvent& event, TimePoint now, Random& random, RedlockActions& out);

  [[nodiscard]] bool holding() const { return state_ == State::held; }
  [[nodiscard]] bool idle() const { return state_ == State::idle; }
  // A fresh machine would do as well.
  [[nodiscard]] bool forgettable() const { return idle() && unanswered_.empty(); }
  [[nodiscard]] std::string_view state() const;

 private:
  enum class State : std::uint8_t { idle, pausing, asking, raising, held };

  struct Unanswered {  // a release that not every server has answered
    RedlockCommand release;
    ServerSet pending;
    TimePoint until;  // the lock lapses by itself
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
  std::uint64_t round_ = 0;  // the caller's
  std::uint64_t used_ = 0;   // the caller's highest token of the key has this counter
  std::uint64_t above_ = 0;  // the caller's next token is above this, perhaps because of other keys
  std::string owner_;        // owner value of the attempt, and of the lock that it took

  ServerSet touched_;  // servers that may have that lock

  // The current or last round of questions: an attempt, a raise or an extension.
  std::uint64_t serial_ = 0;
  TimePoint sent_;
  ServerSet asked_;  // servers asked, without an answer so far
  ServerSet yes_;

  // The servers that said yes to the attempt know these.
  std::uint64_t lowest_ = 0, highest_ = 0;  // counters, after it
  std::uint64_t known_ = 0;                 // the highest counter, before it
  bool needs_fence_ = false;
  LockValue value_;

  // pausing: when to ask; asking, raising: when to give up; held: when to extend
  TimePoint next_;
  TimePoint valid_until_;  // held
  TimePoint armed_ = TimePoint::max();
  std::vector<EngineReply> said_;       // within one step
  std::vector<Unanswered> unanswered_;  // the oldest first
};

}  // namespace fixkeep::lock
