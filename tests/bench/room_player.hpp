// A worker that has rooms in name only, whose seats change all the time: players come and go, rooms
// start, open, drain and close, and others start instead of them.
//
// Thread rule: one thread, that of its context. Bounds: RoomPlayerOptions. Errors: none; it dials
// its master until it is there.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/net/link/hub.hpp"

namespace fixkeep::bench {

struct RoomPlayerOptions {
  std::string worker;  // "w1"
  std::string zone;
  std::uint32_t rooms = 0;  // at any time; at least 1
  std::uint32_t groups = 500;
  std::uint32_t capacity = 8;
  std::uint16_t mesh_port = 0;  // of the master, m1, on loopback
  std::uint64_t seed = 1;
};

class RoomPlayer {
 public:
  RoomPlayer(boost::asio::io_context& context, const RoomPlayerOptions& options);

  // Changes so many rooms, drawn by lot, and tells the master; nothing before there is a link.
  void play(std::size_t changes);
  [[nodiscard]] bool linked() const { return linked_; }

 private:
  [[nodiscard]] wire::RoomInfo make_room(wire::RoomPhase phase);
  [[nodiscard]] wire::WorkerState state() const;
  void change(wire::RoomInfo& room, wire::RoomsChanged& news);
  void move_players(wire::RoomInfo& room, wire::RoomChange& change);
  [[nodiscard]] bool one_of(std::uint32_t count) { return random_() % count == 0; }

  RoomPlayerOptions options_;
  std::mt19937_64 random_;
  std::uint32_t newest_ = 0;
  std::uint64_t last_player_ = 0;
  std::vector<wire::RoomInfo> rooms_;
  bool linked_ = false;
  std::unique_ptr<net::LinkHub> hub_;
};

}  // namespace fixkeep::bench
