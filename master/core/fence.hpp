// One fence of one holder: the promises of all connected workers to refuse lower tokens.
//
// Paxos' first phase with the workers as acceptors (docs/locks.md, "The fence"). The holder sends
// PrepareSpawn to every worker it has a link to and collects the answers; a refusal means that a
// higher token is about, and the whole round starts over above it, at *all* workers.
//
// Assumes: a worker's promise lives as long as the connection it was given on. Hence the round is
// void as soon as any worker link came up or went down after begin(): `links` remembers which.
// Invariant: complete() only if every worker of this round has promised this round's token.
// Thread rule: a value, one owner.
#pragma once

#include <cstdint>
#include <set>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class Fence {
 public:
  // REQUIRES: the requests of an earlier round are no longer delivered.
  void begin(FencingToken token, std::uint64_t links) {
    token_ = token;
    highest_ = token;
    links_ = links;
    pending_.clear();
    refused_ = false;
    begun_ = true;
  }
  void sent(std::uint64_t request) { pending_.insert(request); }

  // A worker's answer. Answers to other rounds are ignored.
  void answered(std::uint64_t request, bool promised, FencingToken highest) {
    if (pending_.erase(request) == 0) return;
    if (!promised) refused_ = true;
    if (highest > highest_) highest_ = highest;
  }

  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool all_answered() const { return begun_ && pending_.empty(); }
  [[nodiscard]] bool complete() const { return all_answered() && !refused_; }
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] FencingToken highest() const { return highest_; }  // the highest seen in the round
  [[nodiscard]] std::uint64_t links() const { return links_; }
  [[nodiscard]] const std::set<std::uint64_t>& pending() const { return pending_; }

 private:
  FencingToken token_;
  FencingToken highest_;
  std::uint64_t links_ = 0;
  std::set<std::uint64_t> pending_;
  bool refused_ = false;
  bool begun_ = false;
};

}  // namespace fixkeep::master
