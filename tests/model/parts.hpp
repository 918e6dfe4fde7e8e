// What LockModel is made of: masters with the production lock and the production Hold, workers with
// the production Promises, and the messages between them. Every part says its bytes, whole and
// canonically. Thread rule: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lock/core/any_machine.hpp"
#include "master/core/hold/hold.hpp"
#include "worker/core/promises.hpp"

namespace fixkeep::model {

inline WorkerId worker_id(int worker) {
  return WorkerId{std::string{static_cast<char>('0' + worker)}};
}

// In sets of workers, and of their runs.
inline std::uint32_t bit(int number) {
  return 1U << static_cast<unsigned>(number);
}
inline std::uint32_t run_bit(int worker, int run) {
  return bit(worker * 8 + run);
}

inline constexpr int most_nodes = 4;  // of each kind

// The other masters of a list.
inline std::vector<MasterId> peers_in(std::uint32_t list, int self) {
  std::vector<MasterId> peers;
  for (int other = 0; other < most_nodes; ++other) {
    if (other == self || (list & bit(other)) == 0) continue;
    peers.emplace_back(static_cast<std::uint16_t>(other + 1));
  }
  return peers;
}

// One end of a link: what its own node thinks of it. A master's link to a worker is up when the
// worker's state is here.
enum class End : std::uint8_t { down, made, up, broken };

// --- between masters

struct MeshMessage {
  bool hello = false;
  std::optional<lock::LockMessage> message;
  std::uint32_t list = 0;  // of the sender, where it is told: a bit for each master
};

// --- between masters and workers

struct ToWorker {
  bool order = false;  // or PrepareSpawn
  FencingToken token;
  // orders:
  FencingToken basis;
  std::uint32_t index = 0;
  std::uint64_t hold = 0;
  int run = 0;  // of the master
};

struct ToMaster {
  enum class Kind : std::uint8_t { state, promise, order };
  Kind kind = Kind::state;
  bool room = false;  // the worker has one
  FencingToken token;
  FencingToken highest;  // state: its counter alone
  bool promised = false;
  int run = 0;  // state: of the worker
  std::uint64_t hold = 0;
  master::OrderFate fate = master::OrderFate::unknown;
};

template <class Message>
struct Channel {
  std::vector<Message> messages;  // the oldest first
  void append_bytes(std::string& out) const;
};

// --- workers

struct Worker {
  worker::Promises promises{Duration{1}};
  int run = 1;
  int rooms = 0;
  void append_bytes(std::string& out) const;
};

// --- masters

// What the checker notes of a hold by itself, to see whether the Hold does what it has to.
struct Duty {
  bool debt = false;          // a fence that has to be made or to be passed on
  bool blind = false;         // what was open was cleared up without all workers
  bool unknown = false;       // the fate of an order
  bool round = false;         // a fence was begun
  bool void_since = false;    // links have changed since the grant, or the begin of the round
  std::uint32_t missing = 0;  // promises that are not there: a bit for each worker
  FencingToken token;         // of the round
  FencingToken newest;        // complete fence that the holder knows of

  [[nodiscard]] bool complete() const { return round && !void_since && missing == 0; }
  [[nodiscard]] bool may_order() const {
    return !debt && !unknown && !void_since && (!round || missing == 0);
  }
};

struct WorkerLink {
  End end = End::down;
  bool awaited = true;                // nothing was heard of the worker since this master's start
  bool room = false;                  // it has one, as far as this master knows
  bool lately = false;                // was heard, and has gone down since
  int run = 0;                        // of the worker, as far as this master knows
  std::uint32_t seen = 0;             // runs that this master was connected to: a bit for each
  std::vector<std::uint64_t> orders;  // without an answer: the holds that they belong to

  // As far as the master knows, which may not have noticed a break.
  [[nodiscard]] bool heard() const { return end == End::up || end == End::broken; }
};

struct Hint {
  int worker = 0;
  int run = 0;
  // The master that ordered a room which no worker has shown yet.
  bool ordered = false;
  int master = 0;
  int master_run = 0;
};

enum class Work : std::uint8_t { idle, waiting, holding };

struct Master {
  lock::AnyMachine machine;
  master::Hold hold;
  bool alive = true;
  bool grace_lapsed = false;
  bool mesh_changed = true;   // since its last grant; kept apart from the machine's own flag
  FencingToken fenced_since;  // the first hold of a peer in reach, since then, that was to fence
  bool timer = false;         // the machine has set one
  bool claim = false;         // somebody waits for a room
  bool told_to_fence = false;
  bool debt = false;  // of an earlier hold, that no lock value tells of
  Work work = Work::idle;
  int acquisitions = 0;
  int run = 1;
  std::optional<lock::Granted> offered;             // a grant that may come too late
  std::optional<master::hold::OrderRooms> pending;  // to be carried out before anything else
  std::vector<Hint> hints;                          // of the present hold
  std::vector<Hint> ordered;                        // by others, on workers that are here; the same
  std::uint32_t in_vain = 0;  // runs that were waited for in vain: a bit for each worker and run
  std::uint64_t used = 0;     // token counters that may have been used
  TimePoint now;              // since the grant: 0, await or limit
  FencingToken token;         // without workers: that of the grant
  lock::LockValue value;      // that came with the grant
  Duty duty;
  std::vector<WorkerLink> links;  // one for each worker
  std::uint32_t list = 0;         // the masters that it lists, a bit for each, itself included
  std::array<std::uint32_t, most_nodes> told{};  // the lists of the peers that are connected
  bool disputed = false;                         // as the machine was told

  Master(lock::AnyMachine made, const master::HoldOptions& options, int workers)
      : machine(std::move(made)), hold(options), links(static_cast<std::size_t>(workers)) {}
  [[nodiscard]] bool knows_room() const {
    for (const WorkerLink& link : links) {
      if (link.room) return true;
    }
    return false;
  }
  void append_bytes(std::string& out) const;
};

}  // namespace fixkeep::model
