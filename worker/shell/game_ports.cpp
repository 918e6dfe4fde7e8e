#include "worker/shell/game_ports.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

WantedPorts wanted_ports(const GameDescription& game) {
  WantedPorts wanted{game.ports, game.launch.neighbour_ports};
  for (std::uint32_t i = 1; i <= game.launch.neighbour_ports; ++i) {
    wanted.names.push_back(neighbour_name(i));
  }
  return wanted;
}

}  // namespace

GamePorts::GamePorts(boost::asio::io_context& context, std::uint16_t first, std::uint16_t last,
                     Post post)
    : context_(context), ports_(first, last), timer_(context), post_(std::move(post)) {}

void GamePorts::count_for(const std::vector<GameDescription>& games) {
  std::vector<WantedPorts> wanted;
  wanted.reserve(games.size());
  for (const GameDescription& game : games) wanted.push_back(wanted_ports(game));
  ports_.count_for(wanted);
  counts_ = true;
  tell_places();
}

void GamePorts::limit(std::optional<std::uint32_t> places, std::string why) {
  if (limit_ == places && why_ == why) return;
  limit_ = places;
  why_ = std::move(why);
  tell_places();
}

void GamePorts::started(RoomNumber room) {
  started_ = std::max(started_, room);
  if (limit_) tell_places();
}

const wire::RoomPlace* GamePorts::take(RoomNumber room, const GameDescription& game) {
  started_ = std::max(started_, room);
  const auto* const place = ports_.take(room, wanted_ports(game), net::steady_now());
  if (place != nullptr) post_(RoomPlaced{room, *place});
  tell_places();
  return place;
}

const wire::RoomPlace* GamePorts::claim(const AdoptProcess& room, const GameDescription& game) {
  if (!room.place) return nullptr;
  const auto& place = ports_.claim(room.as.room, wanted_ports(game), *room.place);
  post_(RoomPlaced{room.as.room, place});
  tell_places();
  return &place;
}

void GamePorts::give_back(RoomNumber room) {
  if (ports_.give_back(room)) tell_places();
}

std::string GamePorts::why_too_few() const {
  const std::size_t others = ports_.of_others();
  std::string why = "no port is free for it";
  if (others > 0) {
    why += ", since other programs have " + std::to_string(others) + " of rooms.ports";
  }
  return why;
}

void GamePorts::fall_silent() {
  alive_.reset();
  timer_.cancel();
}

// Posts the number of free places, in one event for all changes. After a while, rechecks the ports
// that another program used.
void GamePorts::tell_places() {
  if (!std::exchange(told_, false)) return;
  boost::asio::post(context_, [this, alive = std::weak_ptr{alive_}] {
    if (alive.expired()) return;
    told_ = true;
    ports_.tick(net::steady_now());
    const auto places = ports_.places();
    const std::size_t others = ports_.of_others();
    if (others > std::exchange(of_others_told_, others)) {
      obs::log_warning("other programs have ports of rooms.ports, so fewer rooms have a place",
                       {{"ports", others}, {"rooms", places}});
    }
    post_(PlacesChanged{counts_ ? std::optional{std::min(places, limit_.value_or(places))} : limit_,
                        started_, why_});
    if (ports_.next_tick() == TimePoint::max()) return;
    timer_.expires_at(net::to_steady(ports_.next_tick()));
    timer_.async_wait([this, alive](boost::system::error_code error) {
      if (!error && !alive.expired()) tell_places();
    });
  });
}

}  // namespace fixkeep::worker
