
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

bool RoomHost::draining() const {
  return impl_->drains.all();
}

bool RoomHost::runs(const ModeName& mode) const {
  return impl_->mode_of(mode) != nullptr;
}

std::optional<RoomNumber> RoomHost::number_of(const RoomId& room) const {
  const RoomHostOptions& options = impl_->options;
  if (room.worker != options.self || room.incarnation != options.incarnation) return std::nullopt;
  const Room* const found = impl_->find(room.number);
  if (found == nullptr || found->closed()) return std::nullopt;
  return room.number;
}

void RoomHost::Impl::drain(Room& room, std::optional<Duration> most) {
  std::optional<TimePoint> until;
  if (most) until = now + *most;
  live(room, life::Drained{.until = until, .occupied = room.seats.taken() != 0});
}

void RoomHost::Impl::on(DrainAsked&& event) {
  if (Room* room = find(event.room)) drain(*room, event.most);
}

void RoomHost::Impl::on(DrainModeAsked&& event) {
  if (mode_of(event.mode) == nullptr) return;
  drains.drain(event.mode);
  for (auto& [number, room] : rooms) {
    if (room.mode == event.mode) drain(room, event.most);
  }
}

void RoomHost::Impl::on(DrainAllAsked&& event) {
  drains.drain_all(event.then_stop);
  for (auto& [number, room] : rooms) drain(room, event.most);
  if (event.then_stop && event.most) wait_no_longer_than(*event.most);
  tell_if_stopped();
}

void RoomHost::Impl::on(ResumeModeAsked&& event) {
  drains.resume(event.mode);
}

void RoomHost::Impl::on(ResumeAllAsked&&) {
  drains.resume_all();
}

}  // namespace fixkeep::worker
