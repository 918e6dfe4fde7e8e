// How long a master's thread is away when it loses the largest worker that there may be: all its
// rooms, each of a group of its own, and each full of players with ids of 20 characters.
//
//   fixkeep-bench-worker-loss [SEATS]      of a room; 16 unless said otherwise
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/wire/limits.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

wire::WorkerState largest(std::uint32_t seats) {
  wire::WorkerState state;
  state.zone = ZoneName{"a"};
  state.address = "10.0.0.1";
  state.room_limit = static_cast<std::uint32_t>(wire::limits::rooms);
  state.newest_room = RoomNumber{state.room_limit};
  state.modes.known = {ModeName{"duel"}};
  for (std::uint32_t number = 1; number <= state.room_limit; ++number) {
    wire::RoomInfo room;
    room.number = RoomNumber{number};
    room.group = GroupKey{"duel/" + std::to_string(number)};
    room.mode = ModeName{"duel"};
    room.phase = wire::RoomPhase::open;
    room.place = wire::at_port(7000);
    room.capacity = seats;
    for (std::uint32_t seat = 0; seat < seats; ++seat) {
      const std::uint64_t player = std::uint64_t{number} << 16U | seat;
      room.players.emplace_back("player-" + std::to_string(1'000'000'000'000 + player));
    }
    state.rooms.push_back(std::move(room));
  }
  return state;
}

double milliseconds_of(MasterCore& core, Event&& event) {
  Actions actions;
  const auto from = std::chrono::steady_clock::now();
  core.step(std::move(event), TimePoint{}, actions);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - from;
  return time.count();
}

int run(std::uint32_t seats) {
  const WorkerId worker{"w"};
  const wire::WorkerState state = largest(seats);
  MasterOptions options;
  options.self = MasterId{1};
  MasterCore core{options, TimePoint{}};
  std::vector<double> learned;
  std::vector<double> lost;
  for (int i = 0; i < 9; ++i) {
    (void)milliseconds_of(core, WorkerConnected{worker, Incarnation{1}});
    learned.push_back(milliseconds_of(core, WorkerSaid{worker, state}));
    lost.push_back(milliseconds_of(core, WorkerDisconnected{worker}));
  }
  std::sort(learned.begin(), learned.end());
  std::sort(lost.begin(), lost.end());
  std::printf(
      "%zu rooms of %u players: told in %.1f ms, lost in %.1f ms (medians of %zu; most %.1f)\n",
      state.rooms.size(), seats, learned[4], lost[4], lost.size(), lost.back());
  return 0;
}

}  // namespace
}  // namespace fixkeep::master

int main(int argc, char** argv) {
  const long seats = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 16;
  if (seats < 1 || seats > 10'000) {
    std::fprintf(stderr, "fixkeep-bench-worker-loss: \"%s\" is no number of seats, 1 to 10000\n",
                 argv[1]);
    return 2;
  }
  return fixkeep::master::run(static_cast<std::uint32_t>(seats));
}
