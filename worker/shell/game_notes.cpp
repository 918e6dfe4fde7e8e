#include <boost/asio/post.hpp>
#include <utility>

#include "common/obs/log.hpp"
#include "worker/shell/games.hpp"

namespace fixkeep::worker {

// Nothing: the game does not run any more. One that is elsewhere never had sockets of ours.
std::optional<RoomListeners> Games::listeners_of(const RoomId& room) {
  LocalRooms* const local = runner_->local();
  if (local != nullptr) {
    auto sockets = local->listeners_of(to_string(room));
    return sockets ? to_room_listeners(std::move(*sockets)) : std::nullopt;
  }
  auto opened = open_room_listeners();
  if (opened) return std::move(*opened);
  obs::log_warning("cannot listen for the SDK of a room",
                   {{"room", to_string(room)}, {"error", opened.error().message()}});
  return std::nullopt;
}

void Games::go_on_with_note(RoomNumber room, const std::optional<std::string>& note) {
  auto memory = note ? to_session_memory(*note) : std::nullopt;
  if (memory) {
    games_[room].sdk->session().go_on_with(std::move(*memory));
  } else {
    obs::log_warning("what a game has told the SDK of itself is lost", {{"room", room.number()}});
  }
}

void Games::note_soon(RoomNumber room) {
  if (settings_.outlive_worker <= std::chrono::milliseconds{0}) return;
  if (runner_->notes() == nullptr) return;
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
    runner_->notes()->note(room, to_bytes(game->second.sdk->session().memory()));
  }
}

}  // namespace fixkeep::worker
