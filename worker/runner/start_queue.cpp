#include "worker/runner/start_queue.hpp"

namespace fixkeep::worker {

std::optional<RoomNumber> StartQueue::next() {
  if (waiting_.empty() || on_their_way_.size() >= most_) return std::nullopt;
  const RoomNumber room = waiting_.front();
  waiting_.pop_front();
  on_their_way_.insert(room);
  return room;
}

bool StartQueue::take_out(RoomNumber room) {
  return std::erase(waiting_, room) != 0;
}

void StartQueue::put_back(RoomNumber room) {
  if (on_their_way_.erase(room) != 0) waiting_.push_front(room);
}

}  // namespace fixkeep::worker
