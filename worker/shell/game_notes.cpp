#include <boost/asio/post.hpp>
#include <utility>

#include "common/obs/log.hpp"
#include "worker/shell/games.hpp"

namespace fixkeep::worker {

void Games::go_on_with_note(RoomNumber room, const std::optional<std::string>& note) {
  auto memory = note ? to_session_memory(*note) : std::nullopt;
  if (memory) {
    games_[room].sdk->session().go_on_with(std::move(*memory));
  } else {
    obs::log_warning("a game's state in the SDK is lost", {{"room", room.number()}});
  }
}

void Games::note_soon(RoomNumber room) {
  if (settings_.outlive_worker <= std::chrono::milliseconds{0}) return;
  if (runner_->traits().notes == nullptr) return;
  const bool first = changed_.empty();
  changed_.insert(room);
  if (!first) return;
  boost::asio::post(context_, [this, alive = std::weak_ptr{alive_}] {
    if (!alive.expired()) note_changed();
  });
}

void Games::note_changed() {
  for (const RoomNumber room : std::exchange(changed_, {})) {
    const auto game = games_.find(room);
    if (game == games_.end()) continue;
    runner_->traits().notes->note(room, to_bytes(game->second.sdk->session().memory()));
  }
}

}  // namespace fixkeep::worker
