#include "tests/sim/invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

std::uint32_t wanted_in(const wire::RoomInfo& room) {
  std::uint32_t wanted = 0;
  for (const Want& want : room.wants) wanted += want.players;
  return wanted;
}

}  // namespace

// --- masters ------------------------------------------------------------------------------------

void Invariants::master_stepped(MasterNode& master, const master::Actions& actions) {
  watch_locks(master);
  std::map<GroupKey, std::vector<const wire::SpawnRoom*>> orders;  // of the present hold
  std::set<GroupKey> granted;
  for (const master::Action& action : actions) {
    if (const auto* const taken = std::get_if<master::LockTaken>(&action)) {
      granted.insert(taken->group);
      note_orders(master, std::exchange(orders[taken->group], {}));
    }
    const auto* const done = std::get_if<master::OrderDone>(&action);
    if (done != nullptr && done->how == master::OrderDone::How::refused) {
      std::erase_if(holds_[{done->group, master.id}].ordered,
                    [&](const auto& each) { return each.second == done->creation; });
    }
    const auto* const send = std::get_if<master::SendToWorker>(&action);
    if (send == nullptr) continue;
    note_given_back(master, *send);
    const auto* const order = std::get_if<wire::SpawnRoom>(&send->message);
    if (order == nullptr) continue;
    orders[order->group].push_back(order);
    if (granted.contains(order->group)) note_brief_hold(master, *order);
    Hold& hold = holds_[{order->group, master.id}];
    hold.highest = std::max(hold.highest, order->creation.token);
    for (const wire::Claim& claim : order->claims) {
      hold.ordered.insert_or_assign(claim.player, order->creation);
    }
  }
  for (const auto& [group, of_hold] : orders) note_orders(master, of_hold);
}

void Invariants::note_orders(const MasterNode& master,
                             const std::vector<const wire::SpawnRoom*>& orders) {
  for (const wire::SpawnRoom* order : orders) {
    ++orders_sent_;
    const Hold& hold = holds_[{order->group, master.id}];
    if (options_.strategy != "none" && !hold.held) {
      throw Violation::safety(to_string(master.id) + " orders a room of " + order->group.text() +
                              " without holding its lock");
    }
    // A hold that has ended in this step may have been followed by another one.
    const bool before = order->creation.token < hold.token;
    const auto [identity, since] = before ? hold.ended : std::make_pair(hold.identity, hold.since);
    Order noted{orders_sent_, since, order->basis, UINT32_MAX, 0, false, {}};
    for (const auto& stay : master.core->quarantined()) {
      if (keeps_apart(stay.misdeed)) noted.apart.insert(stay.worker);
    }
    for (const wire::Claim& claim : order->claims) {
      noted.smallest_claim = std::min(noted.smallest_claim, claim.seats());
      noted.no_backfill = noted.no_backfill || claim.no_backfill;
      std::set<MasterId>& askers = ordered_for_[{order->group, claim.player}];
      askers.insert(master.id);
      noted.of_two = noted.of_two || askers.size() > 1;
    }
    noted.kept_back = kept_back(master, *order, hold, noted.smallest_claim);
    tokens_.ordered(master, *order, identity);
    orders_.insert_or_assign({order->group, order->creation}, noted);
  }
}

void Invariants::note_given_back(const MasterNode& master, const master::SendToWorker& sent) {
  if (const auto* const given = std::get_if<wire::ReleaseSeats>(&sent.message)) {
    for (const PlayerId& player : given->players) {
      given_back_[{master.id, player}] = scheduler_.now();
    }
  }
}

void Invariants::watch_locks(MasterNode& master) {
  const std::uint64_t lapses = master.core->locks().statistics().lease_timeouts;
  const bool lapsed = lapses > std::exchange(lapses_[{master.id, master.incarnation}], lapses);
  for (const lock::KeyStatus& status : master.core->locks().status(locks_looked_at)) {
    Hold& hold = holds_[{status.key, master.id}];
    const bool holding = status.want == lock::Want::holding;
    hold.waiting = status.want == lock::Want::waiting;
    if (lapsed && hold.holding && !holding) tokens_.lapsed(master, status.key, status.token);
    const bool fresh = holding && (!hold.holding || hold.identity != status.since);
    hold.held = hold.holding || holding;
    hold.holding = holding;
    if (!hold.waiting) hold.overtaken = 0;
    if (fresh) begin(master, status.key, hold, status.token, status.since);
  }
}

void Invariants::begin(const MasterNode& master, const GroupKey& group, Hold& hold,
                       FencingToken token, Duration identity) {
  hold.ended = {hold.identity, hold.since};
  hold.token = token;
  hold.highest = std::max(hold.highest, token);
  hold.identity = identity;
  hold.since = scheduler_.now();
  hold.held = true;
  hold.ordered.clear();
  granted(master, group, hold);
}

// A hold may begin and end within one step, perhaps after another one has ended in it. Its orders
// have a token of their own.
void Invariants::note_brief_hold(const MasterNode& master, const wire::SpawnRoom& order) {
  Hold& hold = holds_[{order.group, master.id}];
  const FencingToken token = order.creation.token;
  if (!hold.holding && token.master == master.id && token > hold.highest) {
    const TimePoint now = master.clock.at(scheduler_.now());
    begin(master, order.group, hold, token, now.time_since_epoch());
  }
}

void Invariants::granted(const MasterNode& master, const GroupKey& group, Hold& hold) {
  GroupStatistics& statistics = groups_[group];
  ++statistics.grants;
  ++statistics.grants_of[master.id];
  const bool exclusive = options_.exclusive();
  for (auto other = holds_.lower_bound({group, MasterId{}});
       other != holds_.end() && other->first.first == group; ++other) {
    if (other->first.second == master.id) continue;
    if (exclusive && other->second.holding) {
      throw Violation::safety("two holders of " + group.text() + ": " + to_string(master.id) +
                              " and " + to_string(other->first.second));
    }
    if (!other->second.waiting) continue;
    ++other->second.overtaken;
    statistics.longest_overtaking =
        std::max(statistics.longest_overtaking, other->second.overtaken);
  }
  tokens_.granted(master, group, hold.token, hold.identity);
}

bool Invariants::holds(MasterId master, const GroupKey& group) const {
  const auto found = holds_.find({group, master});
  return found != holds_.end() && found->second.holding;
}

void Invariants::master_crashed(MasterNode& master) {
  for (auto& [key, hold] : holds_) {
    if (key.second == master.id) hold = Hold{};
  }
  const auto& all = cluster_->masters();
  const bool gone = std::none_of(all.begin(), all.end(),
                                 [](const auto& other) { return other->inbox.running(); });
  if (gone) tokens_.all_masters_gone();
}

// --- workers ------------------------------------------------------------------------------------

bool Invariants::worker_stepped(WorkerNode& worker, const worker::Actions& actions) {
  const auto& rooms = worker.rooms;
  const bool changed = std::exchange(seen_[worker.node], worker.changes) != worker.changes;
  if (changed && options_.warm_modes > 0) warm_.rooms_changed(worker, rooms);
  for (const worker::Action& action : actions) {
    if (const auto* const start = std::get_if<worker::StartProcess>(&action)) {
      tokens_.room_made(worker, start->room, start->group, start->creation);
      check_room_limit(worker);
      if (wire::is_warm_pool(start->group)) {
        check_new_warm_room(worker, *start);
      } else {
        check_new_room(worker, {start->room, start->group, start->creation});
      }
    }
    if (const auto* const given = std::get_if<worker::RoomGiven>(&action)) {
      tokens_.room_made(worker, given->room, given->group, given->creation);
      check_new_room(worker, {given->room, given->group, given->creation});
    }
    const auto* const send = std::get_if<worker::SendToMaster>(&action);
    const auto* const reply =
        send != nullptr ? std::get_if<wire::PrepareReply>(&send->message) : nullptr;
    if (reply == nullptr || !reply->promised) continue;
    FencingToken& promised = promised_[{worker.node, reply->group}];
    if (reply->highest < promised && options_.checks.tokens) {
      throw Violation::safety(worker.id.text() + " promises " + text_of(reply->highest) +
                              " after " + text_of(promised));
    }
    promised = reply->highest;
  }
  if (changed) check_rooms(worker, rooms);
  return changed;
}

void Invariants::check_rooms(const WorkerNode& worker, const std::vector<wire::RoomInfo>& rooms) {
  auto& truths = rooms_[worker.node];
  for (const wire::RoomInfo& room : rooms) {
    const auto broken = [&](const char* how) {
      return Violation::safety(
          fmt::format("{} #{} {}", worker.id.text(), room.number.number(), how));
    };
    if (room.players.size() > room.capacity) throw broken("is overbooked");
    if (room.occupied > room.players.size()) throw broken("has players without a seat");
    std::vector<PlayerId> sorted = room.players;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      throw broken("gave two seats to one player");
    }
    auto [at, fresh] = truths.try_emplace(room.number);
    RoomTruth& truth = at->second;
    if (fresh || truth.group != room.group) {
      truth.free.clear();
      truth.group = room.group;
      truth.creation = room.creation;
      truth.born = scheduler_.now();
      truth.fenced = fenced_by(room.group, room.creation);
    }
    truth.starting = room.phase == wire::RoomPhase::starting;
    if (!truth.starting || !room.players.empty() || wire::is_warm_pool(room.group)) {
      truth.unclaimed_since = never;
    } else if (truth.unclaimed_since == never) {
      truth.unclaimed_since = scheduler_.now();
    }
    const std::size_t newcomers = truth.note_players(sorted, scheduler_.now());
    truth.takes_players =
        room.phase == wire::RoomPhase::starting || room.phase == wire::RoomPhase::open;
    const bool refuses = room.stage == RoomStage::no_newcomers;
    auto free = refuses ? 0 : static_cast<std::uint32_t>(room.capacity - room.players.size());
    if (!room.wants.empty()) free = std::min(free, wanted_in(room));
    truth.note_free(free, newcomers, scheduler_.now());
  }
  for (auto& [number, truth] : truths) {
    const bool there = std::any_of(rooms.begin(), rooms.end(), [wanted = number](const auto& room) {
      return room.number == wanted;
    });
    if (!there) {
      truth.takes_players = false;
      truth.players.clear();
      truth.unclaimed_since = never;
    }
  }
}

void Invariants::time_passed() {
  if (!options_.checks.unclaimed) return;
  for (const auto& [node, truths] : rooms_) {
    const WorkerNode& at = cluster_->worker_at(node);
    if (!at.inbox.responsive()) continue;
    for (const auto& [number, room] : truths) {
      if (room.unclaimed_since == never) continue;
      const SimTime since = std::max(room.unclaimed_since, at.inbox.woke_at());
      if (scheduler_.now() - since <= options_.unclaimed_bound()) continue;
      throw Violation::liveness(
          fmt::format("{} #{} goes on starting for nobody", at.id.text(), number.number()));
    }
  }
}

void Invariants::worker_killed(WorkerNode& worker) {
  for (auto& [number, room] : rooms_[worker.node]) room.unclaimed_since = never;
}

void Invariants::worker_crashed(WorkerNode& worker) {
  rooms_[worker.node].clear();
  warm_.worker_crashed(worker);
  std::erase_if(promised_, [&](const auto& entry) { return entry.first.first == worker.node; });
}

// --- no duplicate -------------------------------------------------------------------------------

Duration Invariants::news_delay() const {
  const Duration most = options_.faults.slow_mean.count() > 0 ? options_.network.slow_most
                                                              : options_.network.delay_most;
  return most * 2 + Duration{5'000} + options_.busy.longest_lag();
}

std::string Invariants::NewRoom::name(const WorkerNode& worker) const {
  return fmt::format("{} makes {} room #{} by order {}", worker.id.text(), group.text(),
                     room.number(), to_string(creation));
}

void Invariants::check_room_limit(const WorkerNode& worker) const {
  if (worker.processes.size() < options_.worker_config(worker.index).room_limit) return;
  throw Violation::safety(worker.id.text() + " starts more games than its limit");
}

const Invariants::Order& Invariants::order_of(const WorkerNode& worker, const NewRoom& made) const {
  const auto order = orders_.find({made.group, made.creation});
  if (order == orders_.end()) throw Violation::safety(made.name(worker) + ", which nobody sent");
  const auto promised = promised_.find({worker.node, made.group});
  const bool stale = promised != promised_.end() && order->second.basis < promised->second;
  if (stale && options_.strategy != "none") {
    throw Violation::safety(made.name(worker) + " on fence " + text_of(order->second.basis) +
                            " though it promised " + text_of(promised->second));
  }
  return order->second;
}

void Invariants::check_new_warm_room(const WorkerNode& worker, const worker::StartProcess& start) {
  const Order& order = order_of(worker, {start.room, start.group, start.creation});
  warm_.made(start, order.granted_at, order.apart);
}

void Invariants::check_new_room(WorkerNode& worker, const NewRoom& start) {
  ++groups_[start.group].rooms;
  const std::string name = start.name(worker);
  const Order& made_by = order_of(worker, start);
  if (options_.rules || options_.strategy == "none" || made_by.of_two || made_by.no_backfill)
    return;
  const MasterNode& orderer = cluster_->master(start.creation.token.master);
  if (!orderer.inbox.running() || orderer.incarnation != start.creation.orderer) return;
  std::uint64_t free = 0;
  for (auto& [node, truths] : rooms_) {
    for (auto& [number, room] : truths) {
      if (room.group != start.group || !room.takes_players) continue;
      if (node == worker.node && number == start.room) continue;
      if (room.creation.token == start.creation.token) continue;
      const auto ordered = orders_.find({start.group, room.creation});
      if (ordered != orders_.end() && ordered->second.number > made_by.number) {
        check_later_order(worker, start, ordered->second, name);
        continue;
      }
      WorkerNode& at = cluster_->worker_at(node);
      const std::uint32_t had = had_free(worker, at, room, orderer, made_by);
      if (had < made_by.smallest_claim) continue;
      free += had;
      if (free >= made_by.kept_back + made_by.smallest_claim) {
        throw Violation::safety(fmt::format("{} though {} #{} ({}) had seats", name, at.id.text(),
                                            number.number(), to_string(room.creation)));
      }
    }
  }
}

// Another room was ordered when this one had been, and was made before it.
void Invariants::check_later_order(const WorkerNode& worker, const NewRoom& start,
                                   const Order& later, const std::string& name) const {
  if (!options_.exclusive() || options_.faults.in_workers()) return;
  for (const wire::RoomInfo& room : worker.rooms) {
    if (room.number != start.room) continue;
    if (room.stage == RoomStage::no_newcomers) return;
    if (!room.wants.empty() && wanted_in(room) < later.kept_back + later.smallest_claim) return;
    if (room.capacity - room.players.size() < later.kept_back + later.smallest_claim) return;
    throw Violation::safety(name + ", which had seats for an order that was sent after it");
  }
}

std::uint64_t Invariants::kept_back(const MasterNode& master, const wire::SpawnRoom& order,
                                    const Hold& hold, std::uint32_t smallest) const {
  const SimTime now = scheduler_.now();
  std::set<PlayerId> seated;
  for (const auto& [node, truths] : rooms_) {
    const WorkerNode& at = cluster_->worker_at(node);
    const SimTime sound = cluster_->network().sound_since(master.node, at.node);
    if (sound == never || sound + news_delay() > now) continue;
    for (const auto& [number, room] : truths) {
      if (options_.mode_of(room.group) != options_.mode_of(order.group)) continue;
      for (const auto& [player, since] : room.players) {
        const auto given_back = given_back_.find({master.id, player});
        if (given_back != given_back_.end() && given_back->second >= since) continue;
        if (since + news_delay() <= now) seated.insert(player);
      }
    }
  }
  std::uint64_t seats = 0;
  for (const Pending& each : clients_.pending_since(now - options_.longest_question())) {
    if (each.master != master.id || each.group != order.group) continue;
    if (hold.ordered.contains(each.players.front())) continue;
    const bool sits = std::any_of(each.players.begin(), each.players.end(),
                                  [&](const PlayerId& player) { return seated.contains(player); });
    if (!sits) seats += each.players.size() + smallest - 1;
  }
  return seats;
}

std::set<NodeIndex> Invariants::fenced_by(const GroupKey& group, const CreationId& creation) {
  std::set<NodeIndex> fenced;
  const auto order = orders_.find({group, creation});
  if (order == orders_.end()) return fenced;
  const NodeIndex orderer = cluster_->master(creation.token.master).node;
  for (const auto& worker : cluster_->workers()) {
    const SimTime sound = cluster_->network().sound_since(orderer, worker->node);
    if (sound == never || sound + news_delay() > order->second.granted_at) continue;
    fenced.insert(worker->node);
  }
  return fenced;
}

std::uint32_t Invariants::had_free(const WorkerNode& maker, WorkerNode& at, const RoomTruth& room,
                                   const MasterNode& orderer, const Order& order) const {
  const bool full_reach = !options_.faults.in_workers();
  const bool fenced = full_reach || (options_.checks.fences && room.fenced.contains(maker.node));
  if (room.born > order.granted_at && !fenced) return 0;
  // What arrives while the orderer sleeps is not news to it before it has worked off its backlog.
  const auto slept_at = orderer.inbox.slept_at();
  const auto woke_at = orderer.inbox.woke_at();
  const bool just_woken = woke_at >= slept_at && order.granted_at >= slept_at &&
                          order.granted_at <= woke_at + news_delay();
  const SimTime informed = just_woken ? slept_at : order.granted_at;
  const SimTime from = std::max(room.born, informed - news_delay());
  const bool is_awake = at.inbox.responsive() && at.inbox.woke_at() < from;
  if (!is_awake || order.apart.contains(at.id)) return 0;
  // A link that was made in the window brings its WorkerState first; before that nothing is known.
  const SimTime sound = cluster_->network().sound_since(orderer.node, at.node);
  if (sound == never || sound + news_delay() > std::min(from, order.granted_at)) return 0;
  std::uint32_t least = UINT32_MAX;
  for (auto change = room.free.rbegin(); change != room.free.rend(); ++change) {
    least = std::min(least, change->second);
    if (change->first <= from) break;
  }
  return least == UINT32_MAX ? 0 : least;
}

}  // namespace fixkeep::sim
