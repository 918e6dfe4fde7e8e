// The list of masters: our own, what the peers have said that theirs is, and when ours may change.
//
// Two masters that do not list each other never ask each other for a lock. So a mesh counts as
// whole only while all that are linked have told the same list; a holder in any other mesh fences
// (membership.hpp), and the workers' promises keep it at one room. The rules below keep a change
// that is carried from master to master from ever leading to two lists that have nothing to do with
// each other: lists that are in use at the same time differ by one master.
//
// Fault model: masters that crash, are cut off or are not told of a change keep an older list.
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

// Says what is wrong, and what to do about it.
[[nodiscard]] std::string to_string(const ListRefusal& refusal);

class MasterLists {
 public:
  // `peers`: every other master, in any order.
  MasterLists(MasterId self, const std::vector<MasterId>& peers);

  [[nodiscard]] bool lists(MasterId peer) const { return own_.contains(peer) && peer != self_; }
  [[nodiscard]] std::vector<MasterId> peers() const;              // ascending
  [[nodiscard]] std::size_t size() const { return own_.size(); }  // includes ourselves
  [[nodiscard]] std::vector<MasterId> all() const { return {own_.begin(), own_.end()}; }

  // A peer that is linked says that this is its list. One of an earlier version says none, and is
  // not judged by it.
  void heard(MasterId peer, const std::vector<MasterId>& list);
  void lost(MasterId peer) { told_.erase(peer); }
  // A peer that is linked has another list than we have.
  [[nodiscard]] bool disputed() const;

  // Why the list must not become this one now; nothing if it may, or is it already. `up`: the peers
  // that are linked. Lists of a lock that lives in no master (`strategy`) change as one likes.
  [[nodiscard]] std::optional<ListRefusal> refusal(const std::vector<MasterId>& peers,
                                                   const std::set<MasterId>& up,
                                                   std::string_view strategy) const;
  // Takes it over, whatever refusal() says. The masters that are not in it any more.
  std::vector<MasterId> change(const std::vector<MasterId>& peers);

 private:
  [[nodiscard]] std::set<MasterId> with_self(const std::vector<MasterId>& peers) const;

  MasterId self_;
  std::set<MasterId> own_;  // includes ourselves
  std::map<MasterId, std::set<MasterId>> told_;
};

}  // namespace fixkeep::lock
