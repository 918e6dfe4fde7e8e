// What a lock value says of rooms: what a holder takes from it, and what it writes.
#include <algorithm>

#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

using master::WorkerRun;

namespace {

// A lock value names rooms, five characters each.
void append(const Hint& hint, std::string& bytes) {
  const int numbers[] = {hint.worker, hint.run, hint.ordered ? 1 : 0, hint.master, hint.master_run};
  for (const int number : numbers) bytes += static_cast<char>('0' + number);
}
std::vector<Hint> hints_of(const std::string& bytes) {
  std::vector<Hint> hints;
  for (std::size_t i = 0; i + 4 < bytes.size(); i += 5) {
    const auto number = [&](std::size_t at) { return bytes[i + at] - '0'; };
    hints.push_back({number(0), number(1), number(2) == 1, number(3), number(4)});
  }
  return hints;
}

}  // namespace

// Rooms of others that the master still waits for: it may trust them to come, or have waited
// enough.
bool LockModel::names_orders(int a, const lock::Granted& granted) const {
  const std::vector<Hint> hints = hints_of(granted.value.bytes);
  return std::any_of(hints.begin(), hints.end(), [&](const Hint& hint) {
    return hint.ordered && !is_unanswered(a, hint) && !is_missing(a, hint);
  });
}

// The master itself has ordered the room, and will hear what became of it.
bool LockModel::is_unanswered(int a, const Hint& hint) const {
  const Master& master = *masters_[index(a)];
  const WorkerLink& link = master.links[index(hint.worker)];
  const bool own = hint.ordered && hint.master == a && hint.master_run == master.run;
  return own && link.run == hint.run && !link.orders.empty();
}

// Takes the rooms of hinted workers for known, or says which runs are not here.
std::set<WorkerRun> LockModel::missing(int a) {
  Master& master = masters_[index(a)].edit();
  std::set<WorkerRun> runs;
  master.hints.clear();
  master.ordered.clear();
  for (const Hint& hint : hints_of(master.value.bytes)) {
    if (is_unanswered(a, hint)) continue;
    master.hints.push_back(hint);
    if (is_missing(a, hint)) {
      runs.emplace(worker_id(hint.worker), Incarnation{static_cast<std::uint64_t>(hint.run)});
    } else if (WorkerLink& link = master.links[index(hint.worker)]; link.run != hint.run) {
      continue;  // that run is over
    } else if (hint.ordered) {
      master.ordered.push_back(hint);
    } else {
      link.room = link.room || link.heard();
    }
  }
  return runs;
}

// As far as the master knows, the run is not over, and it has no link to it.
bool LockModel::is_missing(int a, const Hint& hint) const {
  const Master& master = *masters_[index(a)];
  const WorkerLink& link = master.links[index(hint.worker)];
  if (link.run == hint.run) return !link.heard();
  const bool over = (link.seen & bit(hint.run)) != 0;
  return !over && (master.in_vain & run_bit(hint.worker, hint.run)) == 0;
}

std::string LockModel::hints(int a) const {
  std::string bytes;
  for (int w = 0; w < budget_.workers; ++w) {
    const WorkerLink& link = masters_[index(a)]->links[index(w)];
    if (link.room) append({w, link.run, false, 0, 0}, bytes);
    if (link.orders.empty() || !budget_.orders_named) continue;
    append({w, link.run, true, a, masters_[index(a)]->run}, bytes);
  }
  for (const Hint& hint : masters_[index(a)]->ordered) append(hint, bytes);
  // Also of rooms on workers that only the next holder may reach.
  for (const Hint& hint : masters_[index(a)]->hints) {
    if (budget_.hints_passed_on && is_missing(a, hint)) append(hint, bytes);
  }
  return bytes;
}

}  // namespace fixkeep::model
