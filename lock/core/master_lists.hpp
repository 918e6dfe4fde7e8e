// The lists of masters: our own list, the peers' lists and the rules for changing our own list.
//
// Two masters that do not list each other never ask each other for a lock. The mesh is whole only
// while all linked masters report the same list. Otherwise every holder fences (membership.hpp) and
// the workers' promises prevent a second room. A change reaches the masters one after the other.
// The rules below ensure that two lists in use at the same time differ by at most one master.
//
// Fault model: a master keeps an older list if it crashes, is cut off or does not receive a change.
// Thread rule: a value, one owner. Bounds: O(masters). Errors: ListRefusal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::lock {

enum class ListFault : std::uint8_t {
  several,  // more than one master would be added or removed
  away,     // a master would be added while another master is away and cannot learn of the change
  differs,  // a peer has a list that is not the present list and not the new list
  quorums_depend,  // the strategy's quorums need one list at all masters
};

struct ListRefusal {
  ListFault fault = ListFault::several;
  MasterId master;  // the master that is away or has a different list
  friend bool operator==(const ListRefusal&, const ListRefusal&) = default;
};

// Names the mistake and its remedy.
[[nodiscard]] std::string to_string(const ListRefusal& refusal);

class MasterLists {
 public:
  // `peers`: every other master, in any order.
  MasterLists(MasterId self, const std::vector<MasterId>& peers);

  [[nodiscard]] bool lists(MasterId peer) const { return own_.contains(peer) && peer != self_; }
  [[nodiscard]] std::vector<MasterId> peers() const;              // ascending
  [[nodiscard]] std::size_t size() const { return own_.size(); }  // includes ourselves
  [[nodiscard]] std::vector<MasterId> all() const { return {own_.begin(), own_.end()}; }

  // Stores the list that a linked peer reports. Ignores an empty list: peers of an earlier version
  // have no lists.
  void heard(MasterId peer, const std::vector<MasterId>& list);
  void lost(MasterId peer) { told_.erase(peer); }
  // Returns true if a linked peer's list differs from ours.
  [[nodiscard]] bool disputed() const;

  // Returns the reason why the list `peers` is refused now, or nothing if the list is allowed or
  // already ours. `up`: the linked peers. Any list is allowed if the locks of `strategy` are not in
  // the masters.
  [[nodiscard]] std::optional<ListRefusal> refusal(const std::vector<MasterId>& peers,
                                                   const std::set<MasterId>& up,
                                                   std::string_view strategy) const;
  // Adopts the list, even a list that refusal() refuses. Returns the removed masters.
  std::vector<MasterId> change(const std::vector<MasterId>& peers);

 private:
  [[nodiscard]] std::set<MasterId> with_self(const std::vector<MasterId>& peers) const;

  MasterId self_;
  std::set<MasterId> own_;  // includes ourselves
  std::map<MasterId, std::set<MasterId>> told_;
};

}  // namespace fixkeep::lock
