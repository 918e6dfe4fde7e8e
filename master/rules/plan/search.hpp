// Searches for a room around one ticket. Candidates are tried in their order. First each candidate
// is added in turn. Then more and more of the last candidates are left out or put into another
// team.
//
// The search finds the set with the most players that may start. A full set ends the search. All
// sets are tried if the looks suffice, so a room of few candidates is never missed. Thread rule:
// one owner. Bounds: the looks; a recursion of seats_most calls. Memory is reused.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "master/rules/plan/draft.hpp"

namespace fixkeep::master::plan {

class Search {
 public:
  struct Task {
    const Rules* rules;
    const Waiting* waiting;
    Duration oldest{};        // waiting time of the anchor
    std::uint32_t looks = 0;  // limit on looks
    bool all = false;         // only the set of all candidates is accepted
    std::uint32_t least = 0;  // a set must have more players than this
  };

  // Returns the set that was found, or an empty set. `ranks`: the first is the oldest ticket and
  // always in the set.
  const std::vector<Seated>& find(const Task& task, std::span<const Rank> ranks);
  [[nodiscard]] std::uint32_t looks() const { return looks_; }  // looks of the last find()
  [[nodiscard]] std::uint32_t players() const { return best_players_; }
  // Returns whether more candidates of the same sizes and roles may make a set that find() missed.
  // Returns false if the looks did not suffice for all sets, or if sizes and roles allow no set.
  [[nodiscard]] bool wants_more() const { return possible_ && looks_ < task_.looks; }

 private:
  void extend(std::size_t from);
  void add(std::size_t index);
  void note();
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool sizes_suffice() const;
  [[nodiscard]] std::uint32_t seated_by_roles() const;

  Task task_{};
  std::span<const Rank> ranks_;
  std::vector<std::uint32_t> rest_;  // players of the candidates from this index to the last
  Draft draft_;
  std::vector<Seated> best_;
  std::uint32_t best_players_ = 0;
  std::uint32_t most_ = 0;  // upper bound for players of a set
  std::uint32_t looks_ = 0;
  bool possible_ = false;  // whether sizes and roles allow a set
};

}  // namespace fixkeep::master::plan
