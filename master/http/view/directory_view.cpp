#include "master/http/view/directory_view.hpp"

#include <array>
#include <utility>

#include "common/wire/warm_pool.hpp"

namespace fixkeep::master {
namespace {

constexpr std::array sums{&ModeTotals::warm,     &ModeTotals::seats,   &ModeTotals::reserved,
                          &ModeTotals::occupied, &ModeTotals::unknown, &ModeTotals::closed};

ModeTotals totals_of(const RoomRow& row) {
  ModeTotals totals{.warm = wire::is_warm_pool(row.group) ? 1U : 0U,
                    .seats = row.capacity,
                    .reserved = row.occupied ? row.reserved() : 0,
                    .occupied = row.occupied.value_or(0),
                    .unknown = row.occupied ? 0 : row.taken};
  if (!row.takes_newcomers)
    totals.closed = row.capacity - std::min<std::uint64_t>(row.capacity, row.taken);
  const auto phase = static_cast<std::size_t>(row.phase);
  if (phase < totals.rooms.size()) ++totals.rooms[phase];
  return totals;
}

}  // namespace

ModeTotals& ModeTotals::operator+=(const ModeTotals& other) {
  for (std::size_t phase = 0; phase < rooms.size(); ++phase) rooms[phase] += other.rooms[phase];
  for (const auto sum : sums) this->*sum += other.*sum;
  return *this;
}

ModeTotals& ModeTotals::operator-=(const ModeTotals& other) {
  for (std::size_t phase = 0; phase < rooms.size(); ++phase) rooms[phase] -= other.rooms[phase];
  for (const auto sum : sums) this->*sum -= other.*sum;
  return *this;
}

std::shared_ptr<const RoomRow> row_of(const Room& room) {
  return std::make_shared<const RoomRow>(
      RoomRow{.id = room.id,
              .group = room.group,
              .mode = room.mode,
              .phase = room.phase,
              .place = room.place,
              .capacity = room.capacity,
              .taken = room.players.size(),
              .occupied = room.unknown ? std::nullopt : std::optional{room.occupied},
              .creation = room.creation,
              .takes_newcomers = room.stage != RoomStage::no_newcomers,
              .wants = room.wants});
}

std::shared_ptr<const WorkerRow> row_of(const Worker& worker) {
  std::vector<wire::PausedMode> paused;
  for (const auto& [mode, pause] : worker.paused) paused.push_back(pause);
  for (const auto& [mode, slow] : worker.slow) paused.push_back(slow);
  return std::make_shared<const WorkerRow>(
      WorkerRow{.id = worker.id,
                .incarnation = worker.incarnation,
                .link = worker.link,
                .known = worker.known,
                .zone = worker.zone,
                .address = worker.address,
                .ping_port = worker.ping_port,
                .room_limit = worker.room_limit,
                .headroom = worker.headroom,
                .start_queue = worker.start_queue,
                .behind = worker.behind,
                .newest_room = worker.newest_room,
                .modes = {worker.modes.begin(), worker.modes.end()},
                .paused = std::move(paused)});
}

bool DirectoryView::apply(Update& update, Trash& trash) {
  const auto writing = lock_.try_write();
  if (!writing) return false;
  for (const auto& id : update.workers_gone) {
    const auto gone = workers_.find(id);
    if (gone == workers_.end()) continue;
    trash.workers_.push_back(std::move(gone->second));
    workers_.erase(gone);
  }
  for (auto& row : update.workers) put(row, trash);
  for (const auto& id : update.rooms_gone) remove(id, trash);
  for (auto& row : update.rooms) put(row);
  return true;
}

// Leaves the old row in `row`; the caller deletes it.
void DirectoryView::put(std::shared_ptr<const WorkerRow>& row, Trash& trash) {
  auto& shown = workers_[row->id];
  if (shown.row && shown.row->link != row->link) {
    trash.workers_.push_back(std::exchange(shown, {}));
  }
  std::swap(shown.row, row);
}

void DirectoryView::put(std::shared_ptr<const RoomRow>& row) {
  const auto worker = workers_.find(row->id.worker);
  if (worker == workers_.end() || worker->second.row->incarnation != row->id.incarnation) return;
  auto& shown = worker->second;
  auto& at = shown.rooms[row->id.number];
  add(shown.totals, *row);
  if (at) subtract(shown.totals, *at);
  std::swap(at, row);
}

void DirectoryView::remove(const RoomId& id, Trash& trash) {
  const auto worker = workers_.find(id.worker);
  if (worker == workers_.end() || worker->second.row->incarnation != id.incarnation) return;
  auto& shown = worker->second;
  const auto room = shown.rooms.find(id.number);
  if (room == shown.rooms.end()) return;
  subtract(shown.totals, *room->second);
  trash.rooms_.push_back(std::move(room->second));
  shown.rooms.erase(room);
}

void DirectoryView::add(ViewTotals& totals, const RoomRow& row) {
  totals[row.mode] += totals_of(row);
}

void DirectoryView::subtract(ViewTotals& totals, const RoomRow& row) {
  totals[row.mode] -= totals_of(row);
}

sync::LockResult<std::vector<RoomSight>> DirectoryView::rooms(std::optional<RoomId> after,
                                                              std::size_t limit) const {
  std::vector<RoomSight> found;
  found.reserve(limit);  // allocates before the lock
  while (true) {
    const auto more = look(after, limit, found);
    if (!more) return more.error();
    if (!*more) return found;
    after = found.back().room->id;
  }
}

sync::LockResult<bool> DirectoryView::look(std::optional<RoomId>& after, std::size_t limit,
                                           std::vector<RoomSight>& found) const {
  const auto most = std::min(limit, found.size() + rows_at_once);
  const auto reading = lock_.read();
  if (!reading) return reading.error();
  auto worker = after ? workers_.lower_bound(after->worker) : workers_.begin();
  for (; worker != workers_.end(); ++worker) {
    const auto& shown = worker->second;
    const bool same_run =
        after && after->worker == worker->first && after->incarnation == shown.row->incarnation;
    auto room = same_run ? shown.rooms.upper_bound(after->number) : shown.rooms.begin();
    for (; room != shown.rooms.end(); ++room) {
      if (found.size() == most) return most < limit;
      found.push_back({room->second, shown.row});
    }
  }
  return false;
}

sync::LockResult<RoomSight> DirectoryView::room(const RoomId& id) const {
  const auto reading = lock_.read();
  if (!reading) return reading.error();
  const auto worker = workers_.find(id.worker);
  if (worker == workers_.end()) return RoomSight{};
  const auto room = worker->second.rooms.find(id.number);
  if (room == worker->second.rooms.end() || room->second->id != id) return RoomSight{};
  return RoomSight{room->second, worker->second.row};
}

sync::LockResult<std::vector<WorkerSight>> DirectoryView::workers() const {
  std::vector<WorkerSight> found;
  std::optional<WorkerId> after;
  while (true) {
    const auto most = found.size() + rows_at_once;
    found.reserve(most);
    const auto reading = lock_.read();
    if (!reading) return reading.error();
    auto worker = after ? workers_.upper_bound(*after) : workers_.begin();
    for (; worker != workers_.end() && found.size() < most; ++worker) {
      found.push_back({worker->second.row, worker->second.rooms.size()});
    }
    if (worker == workers_.end()) return found;
    after = found.back().worker->id;
  }
}

sync::LockResult<TotalSight> DirectoryView::totals() const {
  const auto reading = lock_.read();
  if (!reading) return reading.error();
  TotalSight sum{.workers = workers_.size(), .modes = {}};
  for (const auto& [id, shown] : workers_) {
    for (const auto& [mode, totals] : shown.totals) sum.modes[mode] += totals;
  }
  return sum;
}

}  // namespace fixkeep::master
