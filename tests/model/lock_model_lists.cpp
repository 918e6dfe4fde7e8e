// The lists of masters, and what becomes of links and locks when one of them changes: as LockTable
// and the links do it.
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

bool LockModel::may_link(int a, int b) const {
  const auto lists = [&](int who, int whom) {
    return (masters_[index(who)]->list & bit(whom)) != 0;
  };
  return lists(a, b) && lists(b, a);
}

std::uint32_t LockModel::told_list(int a) const {
  return budget_.lists_told ? masters_[index(a)]->list : 0;
}

void LockModel::relist(int a) {
  masters_[index(a)].edit().list = budget_.lists_after[index(a)];
  for (int b = 0; b < budget_.masters; ++b) {
    if (b == a || (masters_[index(a)]->list & bit(b)) != 0) continue;
    const bool connected = ends_[link(a, b)] != End::down;
    break_link(a, b);
    break_link(b, a);
    ends_[link(a, b)] = End::down;
    masters_[index(a)].edit().told[index(b)] = 0;
    if (connected) step(a, lock::PeerDown{id(b)});
  }
  mesh_changed(a);
  tell_of_lists(a, true);
  for (int b = 0; b < budget_.masters; ++b) {
    if (b == a || !live(a, b) || told_list(a) == 0) continue;
    mesh_[link(a, b)].edit().messages.push_back({false, {}, told_list(a)});
  }
}

void LockModel::hear_list(int a, int b, std::uint32_t list) {
  masters_[index(a)].edit().told[index(b)] = list;
  tell_of_lists(a, false);
}

void LockModel::tell_of_lists(int a, bool ours_changed) {
  Master& master = masters_[index(a)].edit();
  bool disputed = false;
  for (const std::uint32_t told : master.told)
    disputed = disputed || (told != 0 && told != master.list);
  if (disputed == master.disputed && !ours_changed) return;
  master.disputed = disputed;
  mesh_changed(a);
  step(a, lock::MastersListed{peers_in(master.list, a), disputed});
}

}  // namespace fixkeep::model
