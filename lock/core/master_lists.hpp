// The lists of masters: our own list, the peers' lists, and the rules for changing ours.
//
// Two masters that do not list each other never ask each other for a lock. A mesh counts as whole
// only while all linked masters have told the same list. In any other mesh a holder fences
// (membership.hpp). The workers' promises keep it at one room. A change travels from master to
// master. The rules below keep two lists in use at the same time within one master of each other.
//
// Fault model: a master that crashes, is cut off or is not told of a change keeps an older list.
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
  several,         // more than one master comes or goes
  away,            // a master would be added while another one is away and cannot learn it
  differs,         // a peer has neither the present list nor the new one
  quorums_depend,  // the strategy's quorums are those of one list
};

struct ListRefusal {
  ListFault fault = ListFault::several;
  MasterId master;  // away, differs: which one
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

  // A linked peer tells its list. A peer of an earlier version has no list to tell and is not
  // judged by it.
  void heard(MasterId peer, const std::vector<MasterId>& list);
  void lost(MasterId peer) { told_.erase(peer); }
  // A peer that is linked has another list than we have.
  [[nodiscard]] bool disputed() const;

  // The reason against this list now, or nothing if it may be taken or is ours already. `up`: the
  // peers that are linked. Lists of a lock that lives in no master (`strategy`) change as one
  // likes.
  [[nodiscard]] std::optional<ListRefusal> refusal(const std::vector<MasterId>& peers,
                                                   const std::set<MasterId>& up,
                                                   std::string_view strategy) const;
  // Takes the list over, even against refusal(). Returns the removed masters.
  std::vector<MasterId> change(const std::vector<MasterId>& peers);

 private:
  [[nodiscard]] std::set<MasterId> with_self(const std::vector<MasterId>& peers) const;

  MasterId self_;
  std::set<MasterId> own_;  // includes ourselves
  std::map<MasterId, std::set<MasterId>> told_;
};

}  // namespace fixkeep::lock
