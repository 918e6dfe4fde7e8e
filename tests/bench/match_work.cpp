// The work of a match in the core of a master: a room of 5 000 seats, half of them taken, into
// which players come and go. No sockets, and no clock: whoever counts instructions gets the same
// number on every machine (scripts/instructions.sh).
//
//   fixkeep-bench-match-work MATCHES
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

constexpr std::uint32_t seats = 5'000;
constexpr std::uint64_t taken = seats / 2;

PlayerId player(std::uint64_t number) {
  return PlayerId{"player-" + std::to_string(number)};
}

MasterOptions options() {
  MasterOptions options;
  options.self = MasterId{1};
  options.await_workers = Duration{0};
  return options;
}

class Match {
 public:
  Match() : core_(options(), now_) {
    step(WorkerConnected{worker_, Incarnation{1}});
    wire::WorkerState state;
    state.zone = ZoneName{"a"};
    state.address = "10.0.0.1";
    state.room_limit = 1;
    state.newest_room = room_;
    state.modes.known = {ModeName{"duel"}};
    wire::RoomInfo& room = state.rooms.emplace_back();
    room.number = room_;
    room.group = GroupKey{"duel"};
    room.mode = ModeName{"duel"};
    room.phase = wire::RoomPhase::open;
    room.place = wire::at_port(7000);
    room.capacity = seats;
    for (std::uint64_t i = 0; i < taken; ++i) room.players.push_back(player(i));
    say(std::move(state));
  }

  // Who came first leaves for the next one. Whether it has a seat now.
  bool play(std::uint64_t match) {
    now_ += std::chrono::microseconds{100};
    MatchRequested asked{TicketId{match + 1},
                         GroupKey{"duel"},
                         ModeName{"duel"},
                         seats,
                         {player(taken + match), {}},
                         now_ + std::chrono::seconds{10}};
    step(std::move(asked));
    wire::SeatReply reply;
    for (const Action& action : actions_) {
      const auto* sent = std::get_if<SendToWorker>(&action);
      const auto* order =
          sent != nullptr ? std::get_if<wire::SeatRequest>(&sent->message) : nullptr;
      if (order != nullptr) reply.request = order->request;
    }
    reply.room = room_;
    reply.phase = wire::RoomPhase::open;
    reply.granted = {0};
    reply.reserved_for = std::chrono::seconds{10};
    reply.seated = {player(taken + match)};
    say(std::move(reply));
    bool seated = false;
    for (const Action& action : actions_) seated |= std::holds_alternative<Seated>(action);
    wire::RoomsChanged news;
    news.newest_room = room_;
    wire::RoomChange& change = news.changed.emplace_back();
    change.number = room_;
    change.phase = wire::RoomPhase::open;
    change.left = {player(match)};
    say(std::move(news));
    return seated;
  }

 private:
  void step(Event&& event) {
    actions_.clear();
    core_.step(std::move(event), now_, actions_);
  }
  void say(wire::Report report) { step(WorkerSaid{worker_, std::move(report)}); }

  TimePoint now_{std::chrono::seconds{1000}};
  WorkerId worker_{"w"};
  RoomNumber room_{1};
  MasterCore core_;
  Actions actions_;
};

}  // namespace
}  // namespace fixkeep::master

int main(int argc, char** argv) {
  const std::uint64_t matches = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  fixkeep::master::Match match;
  for (std::uint64_t i = 0; i < matches; ++i) {
    if (match.play(i)) continue;
    std::fprintf(stderr, "match %llu got no seat\n", static_cast<unsigned long long>(i));
    return 1;
  }
  return 0;
}
