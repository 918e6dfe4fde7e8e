// The ports of the games that a worker runs on its own machine: what the core is told of them.
//
// It joins RoomPorts with the worker's descriptions of games, its clock and its core: whoever is
// given ports is placed, and how many more rooms could be placed is told whenever that changes.
// Thread rule: that of the io_context, on which `post` is called. Bounds: those of RoomPorts; one
// PlacesChanged for all that happens in a turn of the loop. Errors: a room gets no place.
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

  // These are all games that may be started from now on.
  void count_for(const std::vector<GameDescription>& games);

  // A room is started whose ports are none of this machine.
  void started(RoomNumber room);

  // No more rooms than so many can be placed, however many ports there are; nothing: no limit.
  // `why`: there are none for this reason; empty: it is not said.
  void limit(std::optional<std::uint32_t> places, std::string why = {});

  // Posts RoomPlaced; null, and posts nothing, if there are too few ports. Valid until they are
  // given back.
  const wire::RoomPlace* take(RoomNumber room, const GameDescription& game);
  // Takes the ports of a room of an earlier run; null if that had not noted them.
  const wire::RoomPlace* claim(const AdoptProcess& room, const GameDescription& game);
  void give_back(RoomNumber room);  // nothing happens if it has none

  // Says why there are too few: "no port is free for it, since other programs have 3 of
  // rooms.ports".
  [[nodiscard]] std::string why_too_few() const;

  void fall_silent();  // nothing is posted any more

 private:
  void tell_places();

  boost::asio::io_context& context_;
  RoomPorts ports_;
  boost::asio::steady_timer timer_;
  Post post_;
  RoomNumber started_;   // the newest one that was to be started
  bool told_ = true;     // of the last change
  bool counts_ = false;  // ports of this machine set a limit
  std::optional<std::uint32_t> limit_;
  std::string why_;  // there are no places
  std::size_t of_others_told_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
