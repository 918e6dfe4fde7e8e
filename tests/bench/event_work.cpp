// How long one event keeps a master's thread, where clients make it as long as they can: parties
// that share their members, queues and retries without end, groups that sleep. No sockets.
//
//   fixkeep-bench-event-work       docs/benchmarks.md, "The most work that one event can cause"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

// Of this thread alone: on a busy machine the clock on the wall says how busy it is.
double processor_ms() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// One master, whose workers answer nothing unless the case says so.
class Master {
 public:
  Master() : core_(options(), now) {}

  void step(Event&& event) {
    actions_.clear();
    const double from = processor_ms();
    const std::uint64_t looked = core_.claim_looks();
    core_.step(std::move(event), now, actions_);
    const double time = processor_ms() - from;
    all_ += time;
    longest_ = std::max(longest_, time);
    looks_ = std::max(looks_, core_.claim_looks() - looked);
    ++events_;
  }
  void match(const std::string& player, std::vector<PlayerId> party = {},
             const std::string& group = "g", std::uint32_t capacity = 64,
             SeatScope scope = SeatScope::mode) {
    MatchRequested request{TicketId{++tickets_},
                           GroupKey{group},
                           ModeName{"duel"},
                           capacity,
                           {PlayerId{player}, std::move(party)},
                           now + std::chrono::minutes{10}};
    request.one_seat_per = scope;
    step(std::move(request));
  }
  void cancel(std::uint64_t ticket) { step(RequestCancelled{TicketId{ticket}}); }
  void connect(const std::string& worker, std::uint32_t headroom,
               std::vector<wire::RoomInfo> rooms = {}) {
    step(WorkerConnected{WorkerId{worker}, Incarnation{1}});
    wire::WorkerState state;
    state.zone = ZoneName{"a"};
    state.address = "10.0.0.1";
    state.room_limit = 20'000;
    state.headroom = headroom;
    for (const wire::RoomInfo& room : rooms) {
      state.newest_room = std::max(state.newest_room, room.number);
    }
    state.modes.known = {ModeName{"duel"}};
    state.rooms = std::move(rooms);
    say(worker, std::move(state));
  }
  void say(const std::string& worker, wire::Report report) {
    step(WorkerSaid{WorkerId{worker}, std::move(report)});
  }
  void headroom(const std::string& worker, std::uint32_t rooms) {
    wire::RoomsChanged news;
    news.headroom = rooms;
    say(worker, std::move(news));
  }
  // One tick for each of so many times.
  void pass(int times, Duration each) {
    for (int i = 0; i < times; ++i) {
      now += each;
      step(TimePassed{});
    }
  }
  // What was measured since the last call.
  void report(const char* what) {
    std::printf("%-68s %7zu %10.1f %9.2f %8llu\n", what, events_, all_, longest_,
                static_cast<unsigned long long>(looks_));
    forget();
  }
  void forget() {
    events_ = 0;
    looks_ = 0;
    all_ = longest_ = 0;
  }

  TimePoint now{std::chrono::seconds{1000}};

 private:
  static MasterOptions options() {
    MasterOptions options;
    options.self = MasterId{1};
    options.await_workers = Duration{0};
    options.worker_reply = std::chrono::minutes{5};
    return options;
  }

  MasterCore core_;
  Actions actions_;
  std::uint64_t tickets_ = 0;
  std::size_t events_ = 0;
  std::uint64_t looks_ = 0;
  double all_ = 0;
  double longest_ = 0;
};

std::string name(const char* prefix, int number) {
  return prefix + std::to_string(number);
}

std::vector<PlayerId> players(const char* prefix, int from, int count) {
  std::vector<PlayerId> found;
  for (int i = 0; i < count; ++i) found.emplace_back(name(prefix, from + i));
  return found;
}

wire::RoomInfo room(std::uint32_t number, std::uint32_t capacity, const std::string& group = "g") {
  wire::RoomInfo made;
  made.number = RoomNumber{number};
  made.group = GroupKey{group};
  made.mode = ModeName{"duel"};
  made.phase = wire::RoomPhase::open;
  made.place = wire::at_port(7000);
  made.capacity = capacity;
  return made;
}

void members_in_common() {
  Master master;
  for (int i = 0; i < 2'000; ++i) master.match(name("leader", i), players("m", 0, 15));
  master.report("2 000 parties, each with the same 15 members: requests");
  for (std::uint64_t i = 1; i <= 2'000; ++i) master.cancel(i);
  master.report("  the clients hang up, the first one first");
}

// Each member of the first party is in 15 further ones, whose other members are in no other.
void a_party_that_many_wait_for() {
  Master master;
  master.match("first", players("m", 0, 63));
  for (int i = 0; i < 63 * 15; ++i) {
    std::vector<PlayerId> party = players("other", 62 * i, 62);
    party.push_back(PlayerId{name("m", i % 63)});
    master.match(name("leader", i), std::move(party), name("g", i));
  }
  master.report("945 parties of 64 behind one of 64: requests");
  master.cancel(1);
  master.report("  the one hangs up");
}

// Every party shares one member with each of those before it.
void parties_in_a_tangle() {
  Master master;
  for (int i = 0; i < 1'000; ++i) {
    std::vector<PlayerId> party;
    for (int j = 0; j < 63; ++j) party.emplace_back(name("m", (i + 61 * j) % 3'900));
    master.match(name("leader", i), std::move(party));
  }
  master.report("1 000 parties of 64 that share members two by two: requests");
  for (std::uint64_t i = 1; i <= 1'000; ++i) master.cancel(i);
  master.report("  the clients hang up, the first one first");
}

void one_player_asks_again() {
  Master master;
  for (int i = 0; i < 20'000; ++i) master.match("ann");
  master.report("20 000 requests of one player for one thing");
  for (std::uint64_t i = 1; i <= 20'000; ++i) master.cancel(i);
  master.report("  the clients hang up, the first one first");
}

void pairs_in_one_queue() {
  Master master;
  master.connect("w", 0);
  master.forget();
  for (int i = 0; i < 20'000; ++i) master.match(name("p", i), {PlayerId{name("q", i)}}, "g", 3);
  master.report("20 000 pairs of one group, no room anywhere: requests");
  master.headroom("w", 100);
  master.report("  the worker has room for 100");
  for (std::uint64_t i = 1; i <= 5'000; ++i) master.cancel(i);
  master.report("  5 000 clients hang up, the first one first");
}

void rooms_that_are_asked() {
  Master master;
  std::vector<wire::RoomInfo> rooms;
  for (std::uint32_t i = 1; i <= 2'000; ++i) rooms.push_back(room(i, 4));
  master.connect("w", 0, std::move(rooms));
  master.forget();
  for (int i = 0; i < 2'000; ++i) master.match(name("p", i), players("q", 2 * i, 2), "g", 4);
  for (int i = 2'000; i < 4'000; ++i) master.match(name("p", i), players("q", 2 * i, 2), "g", 4);
  master.report("4 000 parties of 3 of one group, 2 000 rooms that are asked");
}

void seats_elsewhere() {
  Master master;
  std::vector<wire::RoomInfo> rooms;
  for (std::uint32_t i = 1; i <= 2'000; ++i) {
    rooms.push_back(room(i, 16, name("h", static_cast<int>(i))));
    for (const PlayerId& player : players("s", static_cast<int>(i) * 10, 10)) {
      rooms.back().players.push_back(player);
    }
  }
  master.connect("w", 0, std::move(rooms));
  master.forget();
  for (int i = 0; i < 20'000; ++i) master.match(name("s", 10 + i % 20'000));
  master.report("20 000 requests of players who sit in another group");
  master.pass(19, std::chrono::milliseconds{50});
  master.report("  ticks until they are refused");
}

void players_with_many_seats() {
  Master master;
  std::vector<wire::RoomInfo> rooms;
  for (std::uint32_t i = 1; i <= 400; ++i) {
    rooms.push_back(room(i, 64, name("h", static_cast<int>(i))));
    for (const PlayerId& player : players("s", 0, 63)) { rooms.back().players.push_back(player); }
  }
  master.connect("w", 0, std::move(rooms));
  master.forget();
  for (int i = 0; i < 16; ++i) {
    master.match(name("leader", i), players("s", 0, 63), "g", 64, SeatScope::group);
  }
  master.report("16 parties of 64, 63 of whom have 400 seats of other groups");
}

void players_asked_for_again() {
  Master master;
  std::vector<wire::RoomInfo> rooms;
  for (std::uint32_t i = 1; i <= 2'000; ++i) {
    rooms.push_back(room(i, 1));
    rooms.back().players.push_back(PlayerId{name("s", static_cast<int>(i))});
  }
  master.connect("w", 0, std::move(rooms));
  master.forget();
  for (int i = 1; i <= 4'000; ++i) {
    master.match(name("s", 1 + i % 2'000), {}, "g", 1);
    if (i > 2'000) master.match(name("t", i), {}, "g", 1);
  }
  master.report("6 000 requests of one group, 2 000 of them for the seats they have");
}

void groups_that_sleep() {
  Master master;
  master.connect("w", 0);
  master.forget();
  for (int i = 0; i < 10'000; ++i) master.match(name("p", i), {}, name("g", i));
  master.report("10 000 groups of one player, no room anywhere: requests");
  for (std::uint32_t i = 1; i <= 1'000; ++i) master.headroom("w", i % 2);
  master.report("  the worker has room for 1 and for 0, 500 times each");
  for (std::uint64_t i = 1; i <= 5'000; ++i) master.cancel(i);
  master.report("  5 000 clients hang up, the first one first");
}

void run() {
  (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("%-68s %7s %10s %9s %8s\n", "", "events", "all, ms", "most, ms", "looks");
  members_in_common();
  a_party_that_many_wait_for();
  parties_in_a_tangle();
  one_player_asks_again();
  pairs_in_one_queue();
  rooms_that_are_asked();
  seats_elsewhere();
  players_with_many_seats();
  players_asked_for_again();
  groups_that_sleep();
}

}  // namespace
}  // namespace fixkeep::master

int main() {
  fixkeep::master::run();
  return 0;
}
