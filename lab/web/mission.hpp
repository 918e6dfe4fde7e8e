// Shows the purpose of the lock: eight players of one group press Play, and the masters make rooms
// for four players each.
//
// The masters and workers are the production MasterCore and RoomHost, on links with delays, in
// simulated time. Nothing fails. Strategy, number of masters and seed decide everything.
// Thread rule: one owner. Bounds: mission_length.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "lab/web/plan.hpp"
#include "master/core/master_core.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::lab_web {

inline constexpr Duration mission_length{3'000'000};
inline constexpr std::uint32_t mission_players = 8;
inline constexpr std::uint32_t mission_capacity = 4;

class Mission {
 public:
  explicit Mission(const Settings& settings);

  void run();  // runs mission_length from the first request
  [[nodiscard]] std::size_t rooms() const { return rooms_.size(); }
  [[nodiscard]] std::size_t seated() const { return seated_; }
  // The rooms with their times and players; times count from the first player's request.
  [[nodiscard]] std::string json() const;

 private:
  struct Room {
    std::size_t worker = 0;
    RoomNumber number;
    int master = 0;  // the master that ordered the room
    TimePoint ordered;
    TimePoint opened = TimePoint::max();
    std::vector<std::pair<int, TimePoint>> players;  // each player with its time
  };
  static constexpr std::size_t workers = 2;

  void later(Duration delay, std::function<void()> what);
  // Calls `what` after the delay of the link, and after all earlier messages of the link.
  void over_link(const std::string& link, std::function<void()> what);
  void tell(std::size_t master, master::Event event);
  void perform(std::size_t master, master::Action& action);
  void tell(std::size_t worker, worker::Event event);
  void perform(std::size_t worker, worker::Action& action);
  void start(std::size_t worker, const worker::StartProcess& start);
  void ask(std::uint32_t player);
  void seat(const master::Seated& seated);
  [[nodiscard]] TimePoint next_tick() const;
  void tick();

  Random random_;
  TimePoint now_;
  TimePoint asked_;  // time when the first player asked
  std::vector<master::MasterCore> masters_;
  std::vector<worker::RoomHost> hosts_;
  std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> events_;
  std::map<std::string, TimePoint> last_arrival_;  // key: the link
  std::uint64_t numbered_ = 0;
  std::vector<Room> rooms_;
  std::size_t seated_ = 0;
};

}  // namespace fixkeep::lab_web
