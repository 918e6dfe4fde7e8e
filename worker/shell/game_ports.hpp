// The ports of the games on the worker's own machine and the core's knowledge of them.
//
// It joins RoomPorts with the worker's descriptions of games, its clock and its core. A room that
// gets ports is placed. Each change of the number of free places is told. Thread rule: the
// io_context's; `post` is called there. Bounds: see RoomPorts; one PlacesChanged for all changes in
// a turn of the loop. Errors: a room gets no place.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/core/events.hpp"
#include "worker/runner/room_ports.hpp"
#include "worker/shell/game_description.hpp"

namespace fixkeep::worker {

class GamePorts {
 public:
  using Post = std::function<void(Event&&)>;

  GamePorts(boost::asio::io_context& context, std::uint16_t first, std::uint16_t last, Post post);

  // Sets all games that may be started from now on.
  void count_for(const std::vector<GameDescription>& games);

  // A room without ports of this machine is started.
  void started(RoomNumber room);

  // Limits the number of further rooms apart from ports; nullopt: no limit. `why`: the reason for
  // no places; empty: not told.
  void limit(std::optional<std::uint32_t> places, std::string why = {});

  // Posts RoomPlaced. Posts nothing and returns null if there are too few ports. Valid until they
  // are given back.
  const wire::RoomPlace* take(RoomNumber room, const GameDescription& game);
  // Takes the ports of a room of an earlier run; null if that had not noted them.
  const wire::RoomPlace* claim(const AdoptProcess& room, const GameDescription& game);
  void give_back(RoomNumber room);  // no effect if it has none

  // Says why there are too few, in words: "no port is free for it, since other programs have 3 of
  // rooms.ports".
  [[nodiscard]] std::string why_too_few() const;

  void fall_silent();  // posts nothing any more

 private:
  void tell_places();

  boost::asio::io_context& context_;
  RoomPorts ports_;
  boost::asio::steady_timer timer_;
  Post post_;
  RoomNumber started_;   // the newest room whose start was tried
  bool told_ = true;     // the last change was told
  bool counts_ = false;  // ports of this machine set a limit
  std::optional<std::uint32_t> limit_;
  std::string why_;  // reason for no places
  std::size_t of_others_told_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
