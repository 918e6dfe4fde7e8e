// Rooms on a simulated fleet: requests and answers are lost, requests are carried out up to a
// minute after that, the watch is cut off and late, servers end, are freed by their games, deleted
// by somebody and given to others, and the worker is killed at any moment.
#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/worker/runner/agones/simulated_fleet.hpp"

namespace fixkeep::worker::agones {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int seeds = 500;
constexpr int steps = 600;
constexpr std::size_t most_rooms = 8;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    step([](FleetRooms& each, TimePoint now, FleetActions& out) { each.end_others(now, out); });
    fleet_.connect();
  }

  void run() {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      fault_or_order();
      pass(milliseconds{random_.between(1, 800)});
    }
    faults_ = false;
    // Whatever was on its way arrives; after that each room has one server, and no other is ours.
    pass(seconds{200});
    expect_one_each();
    for (const auto& [object, room] : std::map{rooms_}) end(object);
    pass(seconds{200});
    EXPECT_TRUE(rooms_.empty()) << "all were ended, and the API answers";
    for (const auto& [uid, server] : fleet_.servers()) {
      EXPECT_TRUE(server.shown.room.empty() || server.foreign) << uid << " is leaked";
    }
  }

  int taken = 0;    // servers that were allocated to us
  int doubled = 0;  // when the room had one already, or had ended

 private:
  struct Room {
    std::optional<wire::RoomPlace> place;
    bool begun = false;
    bool adopted = false;
  };

  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }
  milliseconds milliseconds_to(std::int64_t most) { return milliseconds{random_.between(0, most)}; }

  void pass(Duration time) {
    const TimePoint until = agenda_.now + time;
    while (std::min(machine_->next_tick(), agenda_.next()) <= until) {
      const TimePoint tick = machine_->next_tick();
      if (agenda_.next() <= tick) {
        agenda_.run_next();
        continue;
      }
      agenda_.now = std::max(agenda_.now, tick);
      step([](FleetRooms& each, TimePoint now, FleetActions& out) { each.pass_time(now, out); });
      ASSERT_GT(machine_->next_tick(), agenda_.now) << "what is due is done";
    }
    agenda_.now = until;
  }

  // --- what happens

  void fault_or_order() {
    fleet_.refill();
    if (chance(25) && rooms_.size() < most_rooms) start();
    if (chance(10) && !rooms_.empty()) end(any_room());
    if (chance(6)) fleet_.game_ends();
    if (chance(4)) fleet_.game_frees();
    if (chance(4)) fleet_.somebody_deletes();
    if (chance(10)) fleet_.somebody_allocates();
    if (chance(8)) cut();
    if (chance(2)) crash();
  }
  std::string any_room() {
    return std::next(rooms_.begin(), static_cast<long>(random_.below(rooms_.size())))->first;
  }
  void start() {
    const std::string object = "r" + std::to_string(++last_room_);
    rooms_[object];
    step([&](FleetRooms& each, TimePoint now, FleetActions& out) { each.start(object, now, out); });
  }
  void end(const std::string& object) {
    step([&](FleetRooms& each, TimePoint now, FleetActions& out) { each.end(object, now, out); });
  }
  void cut() {
    if (!fleet_.is_watched()) return;
    fleet_.cut();
    machine_->cut_off();
    connect_later();
  }
  // The worker is killed; the next run knows its rooms, and where they were if it was told.
  void crash() {
    ++life_;
    fleet_.cut();
    fleet_.forget();
    machine_ = std::make_unique<FleetRooms>(FleetOptions{});
    for (auto& [object, room] : rooms_) {
      room.adopted = true;
      room.begun = false;
    }
    for (const auto& known : std::map{rooms_}) {
      step([&](FleetRooms& each, TimePoint now, FleetActions& out) {
        each.adopt(known.first, known.second.place, now, out);
      });
    }
    step([](FleetRooms& each, TimePoint now, FleetActions& out) { each.end_others(now, out); });
    connect_later();
  }
  void connect_later() {
    agenda_.later(milliseconds_to(5000), [this, life = life_] {
      if (life == life_) fleet_.connect();
    });
  }

  // --- the API

  template <class Event>
  void step(Event event) {
    FleetActions actions;
    event(*machine_, agenda_.now, actions);
    for (const FleetAction& action : actions) {
      std::visit([this](const auto& wanted) { this->perform(wanted); }, action);
    }
  }
  // Nobody hears it if the worker was killed meanwhile.
  template <class Event>
  void answer(int life, Event event) {
    agenda_.later(milliseconds_to(100), [this, life, event] {
      if (life == life_) step(event);
    });
  }

  void perform(const AskForServer& wanted) {
    using Kind = AskAnswer::Kind;
    if (faults_ && chance(30)) {
      if (chance(70)) {
        agenda_.later(milliseconds_to(60'000), [this, wanted] { (void)allocate(wanted); });
      }
      return answer(life_, [=](FleetRooms& each, TimePoint now, FleetActions& out) {
        each.answered(wanted.object, {Kind::lost, "lost"}, now, out);
      });
    }
    agenda_.later(milliseconds_to(1000), [this, wanted, life = life_] {
      const Kind kind = faults_ && chance(5) ? Kind::not_now : allocate(wanted);
      answer(life, [=](FleetRooms& each, TimePoint now, FleetActions& out) {
        each.answered(wanted.object, {kind, "answer"}, now, out);
      });
    });
  }
  AskAnswer::Kind allocate(const AskForServer& wanted) {
    const bool has_one = fleet_.any([&](const auto& each) {
      return each.shown.room == wanted.object && SimulatedFleet::is_held(each);
    }) != nullptr;
    const bool needless = has_one || !rooms_.contains(wanted.object);
    if (!fleet_.allocate(wanted)) return AskAnswer::Kind::none;
    ++taken;
    if (needless) ++doubled;
    return AskAnswer::Kind::given;
  }

  void perform(const FreeServer& wanted) {
    agenda_.later(milliseconds_to(500), [this, wanted, life = life_] {
      const bool loses = faults_ && chance(30);
      FreeAnswer result = FreeAnswer::failed;
      if (!loses || chance(50)) result = free(wanted);
      if (loses) result = FreeAnswer::failed;
      answer(life, [=](FleetRooms& each, TimePoint now, FleetActions& out) {
        each.freed(wanted.server.uid, result, now, out);
      });
    });
  }
  FreeAnswer free(const FreeServer& wanted) {
    const auto found = fleet_.servers().find(wanted.server.uid);
    if (found == fleet_.servers().end()) return FreeAnswer::done;
    const auto& server = found->second;
    if (server.shown.version != wanted.server.version) return FreeAnswer::changed;
    if (wanted.only_name) {
      EXPECT_TRUE(server.freed) << "a server keeps our name as long as it is ours";
      fleet_.take_off_name(wanted.server.uid);
    } else {
      EXPECT_FALSE(server.foreign) << "somebody else's server is deleted";
      EXPECT_FALSE(SimulatedFleet::is_free(server)) << "a free server is deleted";
      fleet_.remove(wanted.server.uid);
    }
    return FreeAnswer::done;
  }

  void perform(const LookForServer& wanted) {
    agenda_.later(milliseconds_to(500), [this, wanted, life = life_] {
      std::optional<bool> found =
          fleet_.any([&](const auto& each) { return each.shown.room == wanted.object; }) != nullptr;
      if (faults_ && chance(30)) found.reset();
      answer(life, [=](FleetRooms& each, TimePoint now, FleetActions& out) {
        each.looked(wanted.object, found, now, out);
      });
    });
  }

  // --- what rooms are told

  auto room_of(const std::string& object) {
    const auto found = rooms_.find(object);
    EXPECT_NE(found, rooms_.end()) << "room " << object << " has ended";
    return found;
  }
  void perform(const FleetShown& told) {
    const auto room = room_of(told.object);
    if (room == rooms_.end()) return;
    if (told.sight.end) {
      if (room->second.begun) { EXPECT_NE(told.sight.end->kind, GameEnd::Kind::not_started); }
      rooms_.erase(room);
      return;
    }
    const auto& before = room->second.place;
    EXPECT_FALSE(room->second.begun) << "it is placed once";
    EXPECT_TRUE(!before || (room->second.adopted && before == told.sight.place));
    room->second.place = told.sight.place;
    room->second.begun = !room->second.adopted;
  }
  void perform(const FleetClosing& told) {
    const auto room = room_of(told.object);
    if (room == rooms_.end() || chance(50)) return;
    agenda_.later(milliseconds{1}, [this, object = room->first] { end(object); });
  }
  void perform(const FleetCounted& told) { (void)room_of(told.object); }

  void expect_one_each() {
    std::map<std::string, int> held;
    for (const auto& [uid, server] : fleet_.servers()) {
      if (server.shown.room.empty() || server.foreign) continue;
      if (SimulatedFleet::is_held(server)) ++held[server.shown.room];
      EXPECT_TRUE(rooms_.contains(server.shown.room)) << server.shown.room << " has ended";
    }
    for (const auto& [object, room] : rooms_) {
      EXPECT_TRUE(room.place) << object;
      EXPECT_EQ(held[object], 1) << object;
    }
  }

  Random random_;
  Agenda agenda_;
  std::unique_ptr<FleetRooms> machine_ = std::make_unique<FleetRooms>(FleetOptions{});
  SimulatedFleet fleet_{random_,
                        agenda_,
                        {.listed =
                             [this](const auto& all) {
                               step([&](FleetRooms& each, TimePoint now, FleetActions& out) {
                                 each.listed(all, now, out);
                               });
                             },
                         .changed =
                             [this](const auto& server) {
                               step([&](FleetRooms& each, TimePoint now, FleetActions& out) {
                                 each.changed(server, now, out);
                               });
                             },
                         .gone =
                             [this](const auto& uid) {
                               step([&](FleetRooms& each, TimePoint now, FleetActions& out) {
                                 each.gone(uid, now, out);
                               });
                             }}};
  std::map<std::string, Room> rooms_;  // that have not ended
  bool faults_ = true;
  int life_ = 0;
  std::uint32_t last_room_ = 0;
};

TEST(RandomFleet, no_server_is_leaked_and_no_room_has_two_whatever_is_lost) {
  int taken = 0;
  int doubled = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world{seed};
    world.run();
    taken += world.taken;
    doubled += world.doubled;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 20 * seeds);
  EXPECT_GT(doubled, seeds) << "what the test is about happens";
}

}  // namespace
}  // namespace fixkeep::worker::agones
