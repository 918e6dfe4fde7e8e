#include "lock/core/master_lists.hpp"

#include <algorithm>
#include <iterator>

#include "common/base/lock_strategies.hpp"

namespace fixkeep::lock {
namespace {

bool lives_in_masters(std::string_view strategy) {
  const Strategy* found = find_strategy(strategy);
  return found != nullptr && found->family == Family::mesh;
}

}  // namespace

std::string to_string(const ListRefusal& refusal) {
  const std::string who = fixkeep::to_string(refusal.master);
  switch (refusal.fault) {
    case ListFault::several:
      return "only one master may come or go at a time: change one, let all masters read it, and "
             "then the next";
    case ListFault::away:
      return who + " is away: a master may come only while all others are linked; start " + who +
             " again, or take it out first";
    case ListFault::differs:
      return who + " has another list: let it read its configuration again first";
    case ListFault::quorums_depend:
      return "a lock with quorums needs one list: stop all masters, and start them with the new "
             "one";
  }
  return "";
}

MasterLists::MasterLists(MasterId self, const std::vector<MasterId>& peers) : self_(self) {
  own_ = with_self(peers);
}

std::set<MasterId> MasterLists::with_self(const std::vector<MasterId>& peers) const {
  std::set<MasterId> all{peers.begin(), peers.end()};
  all.insert(self_);
  return all;
}

std::vector<MasterId> MasterLists::peers() const {
  std::vector<MasterId> peers;
  std::copy_if(own_.begin(), own_.end(), std::back_inserter(peers),
               [&](MasterId master) { return master != self_; });
  return peers;
}

void MasterLists::heard(MasterId peer, const std::vector<MasterId>& list) {
  if (list.empty()) return;
  told_[peer] = {list.begin(), list.end()};
}

bool MasterLists::disputed() const {
  return std::any_of(told_.begin(), told_.end(),
                     [&](const auto& entry) { return entry.second != own_; });
}

std::optional<ListRefusal> MasterLists::refusal(const std::vector<MasterId>& peers,
                                                const std::set<MasterId>& up,
                                                std::string_view strategy) const {
  const std::set<MasterId> wanted = with_self(peers);
  if (wanted == own_ || !lives_in_masters(strategy)) return {};
  if (has_quorums(strategy)) return ListRefusal{ListFault::quorums_depend, {}};
  std::vector<MasterId> changed;
  std::set_symmetric_difference(own_.begin(), own_.end(), wanted.begin(), wanted.end(),
                                std::back_inserter(changed));
  if (changed.size() > 1) return ListRefusal{ListFault::several, {}};
  for (const auto& [peer, told] : told_) {
    const bool leaves = !wanted.contains(peer);
    if (!leaves && told != own_ && told != wanted) return ListRefusal{ListFault::differs, peer};
  }
  const bool comes = wanted.contains(changed.front());
  for (const MasterId peer : this->peers()) {
    if (comes && !up.contains(peer)) return ListRefusal{ListFault::away, peer};
  }
  return {};
}

std::vector<MasterId> MasterLists::change(const std::vector<MasterId>& peers) {
  std::set<MasterId> wanted = with_self(peers);
  std::vector<MasterId> gone;
  std::set_difference(own_.begin(), own_.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(gone));
  own_ = std::move(wanted);
  for (const MasterId master : gone) lost(master);
  return gone;
}

}  // namespace fixkeep::lock
