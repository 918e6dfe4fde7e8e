#include <algorithm>
#include <utility>

#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::PauseCause;
using wire::PausedMode;

namespace {

// Rounds up, so that a paused mode always has time left.
std::chrono::milliseconds left_of(TimePoint until, TimePoint now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
  return std::max(left, std::chrono::milliseconds{1});
}

}  // namespace

std::vector<PausedMode> RoomHost::paused_modes() const {
  auto paused = impl_->worker_modes().paused;
  std::erase_if(paused, [](const auto& each) { return each.cause == PauseCause::slow; });
  return paused;
}

bool RoomHost::pauses(const GroupKey& group) const {
  return impl_->boot_backoff.pauses(group);
}

std::optional<PausedMode> RoomHost::Impl::pause_of(const ModeName& mode) const {
  if (drains.drains(mode)) {
    return PausedMode{mode, PauseCause::drained, {}, "drained by an operator"};
  }
  if (const BootPause* const pause = boot_backoff.pause(mode)) {
    return PausedMode{mode, PauseCause::failing, left_of(pause->until, now), pause->why};
  }
  if (!why_no_places.empty()) return PausedMode{mode, PauseCause::failing, {}, why_no_places};
  return std::nullopt;
}

wire::WorkerModes RoomHost::Impl::worker_modes() const {
  wire::WorkerModes modes;
  for (const ModeOptions& mode : options.modes) {
    modes.known.push_back(mode.name);
    if (auto pause = pause_of(mode.name)) {
      modes.paused.push_back(std::move(*pause));
    } else if (auto why = mode_troubles.why(mode.name); !why.empty()) {
      modes.paused.push_back({mode.name, PauseCause::slow, {}, std::move(why)});
    }
  }
  for (PausedMode& pause : modes.paused) pause.reason = shortened(std::move(pause.reason));
  return modes;
}

void RoomHost::Impl::blame(const Room& room, std::string why) {
  why = shortened(std::move(why));
  if (room.older_rules != nullptr) return;  // older rules do not describe the present games
  const auto* const pause = boot_backoff.failed({.group = room.group,
                                                 .mode = room.mode,
                                                 .room = room.number,
                                                 .newest = capacity.newest(),
                                                 .why = why.empty() ? "not said" : why},
                                                now);
  if (pause == nullptr) return;
  out->emplace_back(LogPause{.mode = room.mode,
                             .length = pause->until - now,
                             .failures = pause->failures,
                             .why = pause->why});
}

const ModeOptions& RoomHost::Impl::rules_of(const Room& room) const {
  return room.older_rules ? *room.older_rules : *mode_of(room.mode);
}

// Finds the memory of the largest mode: headroom is counted in rooms of this mode. Sets missing
// counters to 0, because a monitor sees no increase if a counter first appears at 1.
void RoomHost::Impl::measure_modes() {
  std::uint32_t largest_mib = 0;
  for (const ModeOptions& mode : options.modes) {
    largest_mib = std::max(largest_mib, mode.memory_mib);
    const auto last = static_cast<std::uint8_t>(wire::last_close_reason);
    for (std::uint8_t reason = 1; reason <= last; ++reason) {
      closed_rooms.try_emplace({mode.name, static_cast<wire::CloseReason>(reason)}, 0);
    }
    boots.try_emplace(mode.name);
  }
  capacity.set_largest(largest_mib);
}

// Games that failed to boot may have been repaired, so their pauses end. An operator's drain goes
// on.
void RoomHost::Impl::on(ModesChanged&& event) {
  std::map<ModeName, std::shared_ptr<const ModeOptions>> older;
  for (const ModeOptions& mode : options.modes) {
    older.emplace(mode.name, std::make_shared<const ModeOptions>(mode));
    boot_backoff.forget(mode.name);
  }
  for (auto& [number, room] : rooms) {
    if (room.older_rules == nullptr) room.older_rules = older.at(room.mode);
    // Closes warm rooms: they have no players yet, and the next group must get the new game.
    if (wire::is_warm_pool(room.group)) live(room, life::Dismissed{wire::CloseReason::drained});
  }
  options.modes = std::move(event.modes);
  mode_troubles.forget_all();
  drains.keep([this](const ModeName& name) { return mode_of(name) != nullptr; });
  measure_modes();
}

void RoomHost::Impl::tell_news() {
  if (options.record_events) record_changes();
  if (records.keeps()) record_batch();
  const bool backoff_changed = boot_backoff.take_changed();
  const bool troubles_changed = mode_troubles.take_changed();
  if (drains.take_changed() || backoff_changed || troubles_changed)
    news.modes_changed(worker_modes());
  news.tell(rooms, outlook(), *out);
}

}  // namespace fixkeep::worker
