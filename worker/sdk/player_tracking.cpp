#include "worker/sdk/player_tracking.hpp"

#include <algorithm>

namespace fixkeep::worker {

SdkResult<PlayerTracking::Question> PlayerTracking::arrives(const PlayerId& player) {
  if (is_in(player) || waited_for_.contains(player)) return none;
  if (static_cast<std::int64_t>(in_.size() + waited_for_.size()) >= capacity_) {
    return SdkError{SdkCode::unknown, "Players are already at capacity"};
  }
  waited_for_[player] = ++last_question_;
  return last_question_;
}

bool PlayerTracking::admitted(const PlayerId& player, Question question) {
  if (!waits(player, question)) return false;
  waited_for_.erase(player);
  in_.push_back(player);
  return true;
}

void PlayerTracking::refused(const PlayerId& player, Question question) {
  if (waits(player, question)) waited_for_.erase(player);
}

bool PlayerTracking::leaves(const PlayerId& player) {
  waited_for_.erase(player);
  return std::erase(in_, player) != 0;
}

bool PlayerTracking::is_in(const PlayerId& player) const {
  return std::find(in_.begin(), in_.end(), player) != in_.end();
}

bool PlayerTracking::waits(const PlayerId& player, Question question) const {
  const auto found = waited_for_.find(player);
  return found != waited_for_.end() && found->second == question;
}

}  // namespace fixkeep::worker
