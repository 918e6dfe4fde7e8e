// The core of a worker among masters and games that say anything, in any order.
//
// A script of events: a byte that chooses, then what the event needs. The driver's own side is as
// the shell's: only masters that are connected speak, a process ends once, time does not go back.
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "tests/fuzz/messages.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t worker_events_most = 400;

worker::RoomHostOptions host_options() {
  worker::RoomHostOptions options;
  options.self = WorkerId{"w1"};
  options.incarnation = Incarnation{7};
  options.zone = ZoneName{"a"};
  options.address = "127.0.0.1";
  options.room_limit = 5;
  options.memory_mib = 100;
  options.reservation = milliseconds{50};
  options.close_empty_after = milliseconds{100};
  options.health_period = milliseconds{40};
  options.promise_memory = milliseconds{5000};
  options.boot_backoff = {.first = milliseconds{5}, .most = milliseconds{20}};
  options.modes = {{.name = ModeName{"duel"}, .stop_grace = milliseconds{20}, .memory_mib = 10},
                   {.name = ModeName{"royale"}, .seats = worker::SeatRule::counted},
                   {.name = ModeName{"asked"},
                    .seats = worker::SeatRule::for_a_time,
                    .seat_time = milliseconds{70},
                    .needs_group = true}};
  options.record_events = true;
  options.keep_records = true;
  return options;
}

class WorkerRun {
 public:
  explicit WorkerRun(Script& script) : script_(script), host_(host_options(), now_) {}

  void run() {
    for (std::size_t i = 0; i < worker_events_most && !script_.empty(); ++i) one_event();
    step(worker::StopAsked{});
    for (const auto room : std::set<RoomNumber>{processes_}) exit(room);
    batch();
    FIXKEEP_ASSERT(stopped_, "it does not stop although nothing runs");
    FIXKEEP_ASSERT(host_.rooms().empty(), "a room is open without a process");
  }

 private:
  RoomNumber any_number() { return RoomNumber{script_.below(16)}; }
  std::optional<Duration> any_time() {
    if (script_.flag()) return std::nullopt;
    return milliseconds{script_.number_up_to(5000)};
  }

  void one_event() {
    switch (script_.below(16)) {
      case 0: return master_comes_or_goes();
      case 1:
      case 2:
      case 3:
      case 4: return master_speaks();
      case 5: return becomes_ready();
      case 6: return exit(any_number());
      case 7: return step(worker::GameHealthy{any_number()});
      case 8: return step(worker::ShutdownAsked{any_number()});
      case 9: return arrive();
      case 10: return step(worker::PlayerLeft{any_number(), any_player(script_)});
      case 11: return game_is_looked_at();
      case 12: return somebody_asks();
      case 13: return batch();
      default: return time_passes();
    }
  }

  void becomes_ready() {
    const RoomNumber room = any_number();
    if (!script_.flag()) place(room);
    step(worker::ProcessReady{room});
  }

  void place(RoomNumber room) {
    wire::RoomPlace place = wire::at_port(static_cast<std::uint16_t>(script_.number_up_to(0xFFFF)));
    if (script_.flag()) place.ports.push_back({std::string(script_.below(70), 'n'), 9});
    if (script_.flag()) place.host = std::string(script_.number_up_to(300), 'h');
    step(worker::RoomPlaced{room, std::move(place)});
  }

  void master_comes_or_goes() {
    const MasterId master{static_cast<std::uint16_t>(1 + script_.below(3))};
    if (masters_.erase(master) != 0) {
      step(worker::MasterDisconnected{master});
    } else {
      masters_.insert(master);
      step(worker::MasterConnected{master});
    }
  }

  void master_speaks() {
    if (masters_.empty()) return;
    const auto who = *std::next(masters_.begin(), script_.below(3) % masters_.size());
    auto message = script_.below(8) == 0 ? raw_message<wire::Order>(script_)
                                         : any_message<wire::Order>(script_);
    if (message) step(worker::MasterSaid{who, std::move(*message)});
  }

  void arrive() {
    const auto question = ++questions_;
    asked_ = question;
    step(worker::PlayerArrived{any_number(), any_player(script_), question});
    FIXKEEP_ASSERT(asked_ == 0, "a player at the door is not answered");
  }

  void game_is_looked_at() {
    switch (script_.below(7)) {
      case 5: return step(worker::NotReady{any_number(), std::string(script_.below(800), 'w')});
      case 6: return see(any_number());
      case 0:
        return step(
            worker::PlayersCounted{any_number(), static_cast<std::uint32_t>(script_.number())});
      case 1: return step(worker::PlayersUnknown{any_number()});
      case 2: return place(any_number());
      case 3: return step(worker::PlacesChanged{script_.below(8), any_number()});
      default: return step(worker::GameUnhealthy{any_number(), "why"});
    }
  }

  void see(RoomNumber room) {
    step(worker::GameSeen{.room = room,
                          .waited = milliseconds{script_.number_up_to(60'000)},
                          .connected = script_.flag()});
  }

  void somebody_asks() {
    switch (script_.below(6)) {
      case 0: return step(worker::DrainAsked{any_number(), any_time()});
      case 1: return step(worker::DrainModeAsked{any_mode(script_), any_time()});
      case 2: return step(worker::DrainAllAsked{any_time(), false});
      case 3: return step(worker::ResumeModeAsked{any_mode(script_)});
      case 4: return step(worker::ResumeAllAsked{});
      default: return change_modes();
    }
  }

  void change_modes() {
    auto modes = host_options().modes;
    const unsigned which = script_.byte();
    for (std::size_t i = modes.size(); i-- > 0;) {
      if ((which >> i & 1U) != 0) modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    step(worker::ModesChanged{std::move(modes)});
  }

  void exit(RoomNumber room) {
    if (processes_.erase(room) == 0) return;
    step(worker::ProcessExited{room, "exit code 1", script_.flag()});
  }

  void time_passes() {
    const auto until = now_ + milliseconds{script_.number_up_to(60'000)};
    for (int i = 0; i < 64 && host_.next_tick() <= until; ++i) {
      now_ = std::max(now_, host_.next_tick());
      step(worker::TimePassed{});
      FIXKEEP_ASSERT(host_.next_tick() > now_, "the timer would spin");
    }
    now_ = until;
  }

  // What was recorded is what there is: another run of the worker finds the same.
  void batch() {
    step(worker::BatchEnded{});
    (void)host_.take_events();
    for (const auto& record : host_.take_records()) memory_.apply(record);
    worker::Memory whole;
    for (const auto& record : host_.snapshot()) whole.apply(record);
    FIXKEEP_ASSERT(memory_.rooms == whole.rooms, "rooms are recorded otherwise");
    FIXKEEP_ASSERT(memory_.promises == whole.promises, "promises are recorded otherwise");
    FIXKEEP_ASSERT(memory_.floors == whole.floors, "floors are recorded otherwise");
    FIXKEEP_ASSERT(memory_.numbers == whole.numbers, "numbers are recorded otherwise");
    FIXKEEP_ASSERT(memory_.results == whole.results, "results are recorded otherwise");
  }

  void step(worker::Event event) {
    worker::Actions out;
    host_.step(std::move(event), now_, out);
    for (const auto& action : out) {
      std::visit([this](const auto& what) { on(what); }, action);
    }
    FIXKEEP_ASSERT(processes_.size() <= host_options().room_limit, "too many processes");
    for (const auto& room : host_.rooms()) {
      FIXKEEP_ASSERT(room.players.size() <= room.capacity && room.occupied <= room.players.size(),
                     "seats of room " + std::to_string(room.number.number()));
      FIXKEEP_ASSERT(room.place || !wire::has_opened(room.phase), "nobody can come");
    }
  }

  void on(const worker::SendToMaster& send) {
    FIXKEEP_ASSERT(masters_.contains(send.master), "speaks to nobody");
    std::string frame;
    wire::append_frame(send.message, frame);
    const auto payload = std::string_view{frame}.substr(wire::prefix_bytes);
    FIXKEEP_ASSERT(wire::decode<wire::FromWorker>(payload), "sends what nobody takes");
  }
  void on(const worker::StartProcess& start) {
    FIXKEEP_ASSERT(processes_.insert(start.room).second, "a room has two processes");
  }
  void on(const worker::AdoptProcess& adopt) {
    FIXKEEP_ASSERT(adopt.as.room == RoomNumber{}, "adopts without a memory");
  }
  void on(const worker::RoomGiven& given) { alive(given.room); }
  void on(const worker::TellMatch& told) { alive(told.room); }
  void on(const worker::NeverWarm&) {}
  void on(const worker::GroupRefused&) {}
  void on(const worker::SignalProcess& signal) { alive(signal.room); }
  void on(const worker::KillProcess& kill) { alive(kill.room); }
  void alive(RoomNumber room) {
    FIXKEEP_ASSERT(processes_.contains(room), "no process " + std::to_string(room.number()));
  }
  void on(const worker::LookAtGame& look) { alive(look.room); }
  void on(const worker::AdmitPlayer& admit) {
    FIXKEEP_ASSERT(admit.question == asked_, "answers what nobody asked");
    asked_ = 0;
  }
  void on(const worker::AnswerResult&) {}
  void on(const worker::LogPause&) {}
  void on(const worker::StoppedEmpty&) {
    FIXKEEP_ASSERT(!std::exchange(stopped_, true), "stops twice");
    FIXKEEP_ASSERT(processes_.empty(), "stops while games run");
  }

  Script& script_;
  TimePoint now_{std::chrono::seconds{1000}};
  worker::RoomHost host_;
  worker::Memory memory_;
  std::set<MasterId> masters_;
  std::set<RoomNumber> processes_;
  std::uint64_t questions_ = 0;
  std::uint64_t asked_ = 0;
  bool stopped_ = false;
};

}  // namespace

void fuzz_worker_core(std::string_view bytes) {
  Script script{bytes};
  WorkerRun{script}.run();
}

}  // namespace fixkeep::fuzz
