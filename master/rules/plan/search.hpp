// Looks for a room around one ticket. Candidates are tried in their order. First each is taken as
// it comes. Then ever more of the last ones are left out or in another team.
//
// It finds the set with the most players that may start. A full one ends the search. All sets are
// tried if the looks suffice: a room of few candidates is never missed. Thread rule: one owner.
// Bounds: the looks; seats_most calls deep. Memory is kept.
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
    std::uint32_t looks = 0;  // most looks
    bool all = false;         // only the set of all candidates will do
    std::uint32_t least = 0;  // fewer players than these, or as many, are of no use
  };

  // The first of `ranks` is in the set and is the oldest. Empty: no set was found.
  const std::vector<Seated>& find(const Task& task, std::span<const Rank> ranks);
  [[nodiscard]] std::uint32_t looks() const { return looks_; }  // looks of the last find
  [[nodiscard]] std::uint32_t players() const { return best_players_; }
  // Whether more candidates of the same sizes and roles could have made a set that the last find
  // missed. No if it had more sets to try than looks or if sizes and roles alone allow no set.
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
  std::vector<std::uint32_t> rest_;  // players of the candidates from here on
  Draft draft_;
  std::vector<Seated> best_;
  std::uint32_t best_players_ = 0;
  std::uint32_t most_ = 0;  // players that any set can have
  std::uint32_t looks_ = 0;
  bool possible_ = false;  // sizes and roles allow it
};

}  // namespace fixkeep::master::plan
