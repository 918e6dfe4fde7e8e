#include "worker/sdk/grpc/live_call.hpp"

namespace fixkeep::worker {

void HealthStream::OnReadDone(bool ok) {
  if (!ok) return end(grpc::Status::OK);  // the game has closed its side
  post([self = std::static_pointer_cast<HealthStream>(shared_from_this())] { self->hear(); });
}

void HealthStream::hear() {
  const auto room = session();
  if (room == nullptr) return;
  room->health();
  unless_ended([&] { StartRead(&message_); });
}

void GameServerStream::begin() {
  post([self = std::static_pointer_cast<GameServerStream>(shared_from_this())] { self->watch(); });
}

void GameServerStream::watch() {
  const auto room = session();
  if (room == nullptr) return;
  // What is under way when the room ends may go out after it.
  auto watch = room->watch([this, session = std::weak_ptr{room}] {
    const auto alive = session.lock();
    if (alive == nullptr) return end_without_room();
    message_ = calls::message_of(alive->game_server());
    unless_ended([&] { StartWrite(&message_); });
  });
  if (!watch) return end(status_of(watch.error()));
  watch_ = std::move(*watch);
  watch_->start();
}

void GameServerStream::OnWriteDone(bool ok) {
  if (!ok) return end(grpc::Status::CANCELLED);
  post([self = std::static_pointer_cast<GameServerStream>(shared_from_this())] {
    self->watch_->sent();
  });
}

}  // namespace fixkeep::worker
