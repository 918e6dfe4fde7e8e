// One fence of one holder: the promises of all connected workers to refuse lower tokens.
//
// This is the first phase of Paxos, with the workers as acceptors (docs/locks.md, "The fence"). The
// holder sends PrepareSpawn to every linked worker and collects the answers. A refusal means that a
// higher token exists. Then a new round with a token above that token starts, at *all* workers.
//
// Assumes: a worker keeps a promise until the connection that carried it ends. The owner restarts
// the fence when a worker's link comes up or breaks (hold.hpp).
// Invariant: complete() is true only if every worker of this round has promised this round's token.
// Thread rule: a value, one owner. Bounds: O(workers). Errors: none.
#pragma once

#include <set>
#include <string>

#include "common/base/ids.hpp"
#include "lock/core/machine_bytes.hpp"

namespace fixkeep::master {

class Fence {
 public:
  // Begins a new round. REQUIRES: no earlier round of this fence had this token.
  void begin(FencingToken token) { *this = Fence{token}; }
  // Call when the round was sent to these workers.
  void asked(const std::set<WorkerId>& workers) { pending_ = workers; }

  // Adds the answer if this worker was asked. REQUIRES: the answer is to this round.
  void answered(const WorkerId& worker, bool promised, FencingToken highest) {
    if (!begun_ || pending_.erase(worker) == 0) return;
    if (!promised) refused_ = true;
    if (highest > highest_) highest_ = highest;
  }

  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool all_answered() const { return begun_ && pending_.empty(); }
  [[nodiscard]] bool complete() const { return all_answered() && !refused_; }
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] FencingToken highest() const { return highest_; }  // highest seen in this round

  Fence() = default;
  friend bool operator==(const Fence&, const Fence&) = default;
  void append_bytes(std::string& out) const {
    lock::MachineBytes{out}.put(begun_, refused_, highest_, pending_);
  }

 private:
  explicit Fence(FencingToken token) : highest_(token), begun_(true) {}

  FencingToken highest_;
  std::set<WorkerId> pending_;
  bool refused_ = false;
  bool begun_ = false;
};

}  // namespace fixkeep::master
