#include "worker/backend/process/start_queue.hpp"

#include <algorithm>
#include <chrono>

namespace fixkeep::worker {

std::optional<RoomNumber> StartQueue::next(TimePoint now) {
  if (waiting_.empty() || on_their_way_.size() >= most_) return std::nullopt;
  const RoomNumber room = waiting_.front();
  waiting_.pop_front();
  if (on_their_way_.empty()) {
    busy_since_ = now;
    if (ends_.empty()) ends_.push_back(busy_);
  }
  on_their_way_.insert(room);
  return room;
}

bool StartQueue::take_out(RoomNumber room) {
  return std::erase(waiting_, room) != 0;
}

void StartQueue::put_back(RoomNumber room, TimePoint now) {
  if (leave(room, now)) waiting_.push_front(room);
}

void StartQueue::started(RoomNumber room, TimePoint now) {
  if (!leave(room, now)) return;
  ends_.push_back(busy_ + (on_their_way_.empty() ? Duration{0} : now - busy_since_));
  if (ends_.size() > measured + 1) ends_.pop_front();
}

void StartQueue::failed(RoomNumber room, TimePoint now) {
  (void)leave(room, now);
}

bool StartQueue::leave(RoomNumber room, TimePoint now) {
  if (on_their_way_.erase(room) == 0) return false;
  if (on_their_way_.empty()) busy_ += now - busy_since_;
  return true;
}

Starts StartQueue::starts() const {
  Starts starts{.queued = waiting_.size()};
  if (ends_.size() < 2) return starts;
  const std::chrono::duration<double> taken = ends_.back() - ends_.front();
  if (taken.count() > 0) starts.per_second = static_cast<double>(ends_.size() - 1) / taken.count();
  return starts;
}

}  // namespace fixkeep::worker
