// The ports of the games on the worker's own machine.
//
// GamePorts connects RoomPorts with the worker's game descriptions, clock and core. It reports to
// the core the place of each room with ports, and each change of the number of free places. Thread
// rule: the io_context's thread, which also calls `post`. Bounds: see RoomPorts; one PlacesChanged
// for all changes in a turn of the loop. Errors: a room gets no place.
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

  // Call this when a room without ports of this machine is started.
  void started(RoomNumber room);

  // Sets one more limit for the number of new rooms, in addition to the ports. Nullopt: no such
  // limit. `why` says why no place is free; empty: not known.
  void limit(std::optional<std::uint32_t> places, std::string why = {});

  // Posts RoomPlaced and returns the place, valid until give_back(). If there are too few ports,
  // posts nothing and returns null.
  const wire::RoomPlace* take(RoomNumber room, const GameDescription& game);
  // Takes the ports of an earlier run's room. Returns null if the earlier run had not noted the
  // ports.
  const wire::RoomPlace* claim(const AdoptProcess& room, const GameDescription& game);
  void give_back(RoomNumber room);  // no effect if the room has no ports

  // Returns why there are too few ports: "no port is free for it, since other programs have 3 of
  // rooms.ports".
  [[nodiscard]] std::string why_too_few() const;

  void fall_silent();  // posts nothing from now on

 private:
  void tell_places();

  boost::asio::io_context& context_;
  RoomPorts ports_;
  boost::asio::steady_timer timer_;
  Post post_;
  RoomNumber started_;   // the newest room whose start was attempted
  bool told_ = true;     // the latest change was posted
  bool counts_ = false;  // ports of this machine set a limit
  std::optional<std::uint32_t> limit_;
  std::string why_;  // why no place is free
  std::size_t of_others_told_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
