// The core of a master among workers, peers and clients that say anything, in any order.
//
// A script of events: a byte that chooses, then what the event needs. The driver's own side is as
// the shell's: tickets are new, only what is connected speaks, time does not go back, and a
// closed link is gone. The first byte chooses the lock's strategy.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/master_core.hpp"
#include "tests/fuzz/messages.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t master_events_most = 200;
constexpr std::size_t waiting_most = 12;
constexpr const char* engine_strategy = "redlock";

master::MasterOptions master_options(Script& script) {
  constexpr std::array<const char*, 12> strategies{
      "multiphase",    "lamport",      "ricart-agrawala", "carvalho-roucairol",
      "suzuki-kasami", "naimi-trehel", "raymond",         "two-phase",
      "coordinator",   "maekawa",      "tree-quorum",     engine_strategy};
  master::MasterOptions options;
  options.self = MasterId{2};
  options.zone = ZoneName{"a"};
  options.incarnation = Incarnation{100};
  options.locks.strategy = strategies.at(script.below(strategies.size()));
  options.locks.self = options.self;
  options.locks.peers = {MasterId{1}, MasterId{3}};
  options.locks.join_grace = milliseconds{300};
  options.locks.wait = milliseconds{300};
  options.locks.lease = milliseconds{200};
  options.locks.idle = milliseconds{500};
  options.locks.keys = 3;
  options.worker_reply = milliseconds{100};
  options.await_workers = milliseconds{50};
  options.waiting_requests = waiting_most;
  options.waiting_requests_per_group = 8;
  options.starting_rooms_per_group = 4;
  options.starting_rooms_per_client = 4;
  options.modes.warm = {{.name = ModeName{"duel"}, .capacity = 4, .rule = {}}};
  options.modes.warm.front().rule.least = 1;
  options.modes.warm.front().rule.most = 2;
  options.record_events = true;
  return options;
}

class MasterRun {
 public:
  explicit MasterRun(Script& script) : MasterRun(script, master_options(script)) {}

  void run() {
    for (std::size_t i = 0; i < master_events_most && !script_.empty(); ++i) one_event();
    master::Actions out;
    core_.stop(now_, out);
    perform(out);
    FIXKEEP_ASSERT(waiting_.empty(), "a ticket is not answered by the end");
    FIXKEEP_ASSERT(leaving_.empty(), "a leave is not answered by the end");
    FIXKEEP_ASSERT(core_.waiting() == 0, std::to_string(core_.waiting()));
  }

 private:
  MasterRun(Script& script, master::MasterOptions options)
      : script_(script),
        has_engine_(options.locks.strategy == engine_strategy),
        core_(std::move(options), now_) {}

  template <class Peer, class Message>
  using Asked = std::map<Peer, std::deque<Message>>;  // what it was sent, while connected

  void one_event() {
    switch (script_.below(10)) {
      case 0: return match();
      case 1: return cancel();
      case 2: return worker_comes_or_goes();
      case 3: return peer_comes_or_goes();
      case 4:
      case 5: return worker_speaks();
      case 6: return peer_speaks();
      case 7: return engine_speaks();
      case 8: return leave_follow_or_wonder();
      default: return time_passes();
    }
  }

  void match(std::optional<RoomId> room = {}) {
    const TicketId ticket{++tickets_};
    const auto group = any_group(script_);
    if (wire::is_warm_pool(group)) return;  // no request can name one
    waiting_.insert(ticket);
    step(master::MatchRequested{
        .ticket = ticket,
        .group = group,
        .mode = any_mode(script_),
        .capacity = 1 + script_.below(4),
        .claim = any_claim(script_),
        .deadline = now_ + milliseconds{script_.number_up_to(5000)},
        .client = master::ClientAddress{"c" + std::string(script_.below(2), 'x')},
        .one_seat_per = script_.flag() ? master::SeatScope::group : master::SeatScope::mode,
        .room = std::move(room)});
  }

  void cancel() {
    const TicketId ticket{script_.byte()};
    waiting_.erase(ticket);
    step(master::RequestCancelled{ticket});
  }

  RoomId any_room_id() {
    const WorkerId worker{"w" + std::to_string(1 + script_.below(3))};
    return {worker, Incarnation{1U + script_.below(3)}, RoomNumber{1U + script_.below(4)}};
  }

  void leave_follow_or_wonder() {
    const RoomId room = any_room_id();
    if (script_.flag()) return match(room);
    if (script_.flag()) return step(master::WhyAsked{TicketId{script_.byte()}});
    const TicketId ticket{++tickets_};
    leaving_.insert(ticket);
    step(master::SeatsLeft{ticket, room, {any_claim(script_).player}, script_.flag()});
  }

  void worker_comes_or_goes() {
    const WorkerId worker{"w" + std::to_string(1 + script_.below(3))};
    if (workers_.erase(worker) != 0) {
      step(master::WorkerDisconnected{worker});
    } else {
      workers_[worker];
      step(master::WorkerConnected{worker, Incarnation{1U + script_.below(3)}});
    }
  }

  void peer_comes_or_goes() {
    const MasterId peer{static_cast<std::uint16_t>(script_.flag() ? 1 : 3)};
    if (peers_.erase(peer) != 0) {
      step(master::PeerDisconnected{peer});
    } else {
      peers_[peer];
      step(master::PeerConnected{peer});
    }
  }

  // One of those who are connected says bytes of its own, anything, or an answer.
  template <class Event, class Peer, class Message>
  void speaks(Asked<Peer, Message>& connected) {
    if (connected.empty()) return;
    const auto who = std::next(connected.begin(), script_.below(3) % connected.size());
    const Peer id = who->first;
    const auto how = script_.below(8);
    using Said = decltype(Event::message);
    std::optional<Said> message;
    if (how == 0) {
      message = raw_message<Said>(script_);
    } else if (how < 3 || who->second.empty()) {
      message = any_message<Said>(script_);
    } else {
      const auto which = script_.below(static_cast<std::uint32_t>(who->second.size()));
      message = answer_to(who->second[which], script_);
    }
    if (message) step(Event{id, std::move(*message)});
  }
  void list_changes() {
    std::vector<MasterId> others;
    const unsigned which = script_.byte();
    for (const std::uint16_t other : std::array<std::uint16_t, 3>{1, 3, 4}) {
      if ((which >> other & 1U) != 0) others.emplace_back(other);
    }
    step(master::MastersListed{others});
    const std::uint32_t warm = which & 3U;
    step(master::ModesRead{
        {.hash = which & 7U,
         .warm = {{.name = ModeName{"duel"}, .capacity = 4, .rule = {.least = 0, .most = warm}}}}});
    for (const auto& [peer, asked] : std::map{peers_}) {
      if (std::find(others.begin(), others.end(), peer) == others.end()) {
        closed_peers_.push_back(peer);
      }
    }
    close_links();
  }
  void worker_speaks() { speaks<master::WorkerSaid>(workers_); }
  void peer_speaks() { speaks<master::PeerSaid>(peers_); }

  void engine_speaks() {
    if (!has_engine_) return list_changes();
    if (script_.flag()) return step(master::EngineReady{script_.flag()});
    if (engine_asked_.empty()) return;
    const auto& [group, round] = engine_asked_[script_.below(8) % engine_asked_.size()];
    lock::EngineReply reply;
    reply.round = script_.below(4) == 3 ? script_.number() : round;
    if (script_.flag()) {
      lock::Granted granted;
      granted.token = any_token(script_);
      granted.value.bytes = std::string{script_.take(script_.below(32))};
      granted.value.uncertain = script_.flag();
      granted.value.fence = any_token(script_);
      reply.said = granted;
    } else {
      reply.said = lock::Lost{};
    }
    step(master::EngineSaid{group, reply});
  }

  void time_passes() {
    const auto until = now_ + milliseconds{script_.number_up_to(60'000)};
    for (int i = 0; i < 64 && core_.next_tick() <= until; ++i) {
      now_ = std::max(now_, core_.next_tick());
      step(master::TimePassed{});
      FIXKEEP_ASSERT(core_.next_tick() > now_, "the timer would spin");
    }
    now_ = until;
  }

  void step(master::Event event) {
    master::Actions out;
    core_.step(std::move(event), now_, out);
    perform(out);
    FIXKEEP_ASSERT(core_.waiting() <= waiting_most, std::to_string(core_.waiting()));
    FIXKEEP_ASSERT(core_.locks().status(9).size() <= 3, "more locks than there may be");
    (void)core_.take_events();
    (void)core_.take_news();
    close_links();
  }

  // A link that is closed ends as any other: the core hears of it.
  void close_links() {
    for (const auto& worker : std::exchange(closed_workers_, {})) {
      if (workers_.erase(worker) != 0) step(master::WorkerDisconnected{worker});
    }
    for (const auto& peer : std::exchange(closed_peers_, {})) {
      if (peers_.erase(peer) != 0) step(master::PeerDisconnected{peer});
    }
  }

  void perform(const master::Actions& out) {
    for (const auto& action : out) {
      std::visit([this](const auto& what) { on(what); }, action);
    }
  }
  void on(const master::SendToWorker& send) {
    if (const auto* order = std::get_if<wire::SpawnRoom>(&send.message)) {
      orders_.insert(order->creation);
    }
    sent<wire::ToWorker>(workers_, send.worker, send.message);
  }
  void on(const master::SendToPeer& send) {
    sent<wire::BetweenMasters>(peers_, send.peer, send.message);
  }
  void on(const master::CloseWorkerLink& close) { closed_workers_.push_back(close.worker); }
  void on(const master::ClosePeerLink& close) { closed_peers_.push_back(close.peer); }
  void on(const master::OrderEngine& order) {
    engine_asked_.emplace_front(order.key, order.order.round);
    if (engine_asked_.size() > 8) engine_asked_.pop_back();
  }
  void on(const master::LockTaken&) {}
  void on(const master::ModesInEffect&) {}
  void on(const master::OrderDone& order) {
    const auto ordered = orders_.find(order.creation);
    FIXKEEP_ASSERT(ordered != orders_.end(), "an order ends twice");
    orders_.erase(ordered);
  }
  void on(const master::WorkerQuarantined& quarantined) {
    FIXKEEP_ASSERT(quarantined.stay.times > 0, "left out without a reason");
  }
  void on(const master::QuarantineEnded&) {}
  void on(const master::ResultHeard&) {}
  void on(const master::MatchOver&) {}
  void on(const master::Matched&) {}
  void on(const master::Seated& seated) {
    FIXKEEP_ASSERT(waiting_.erase(seated.ticket) == 1, "a ticket is answered twice");
    FIXKEEP_ASSERT(
        !seated.players.empty() && !seated.place.host.empty() && wire::is_valid(seated.place),
        "a seat nowhere");
  }
  void on(const master::SeatsGivenBack& left) {
    FIXKEEP_ASSERT(leaving_.erase(left.ticket) == 1, "a leave is answered twice");
  }
  void on(const master::Refused& refused) {
    const auto ended = waiting_.erase(refused.ticket) + leaving_.erase(refused.ticket);
    FIXKEEP_ASSERT(ended == 1, "a ticket is answered twice");
  }

  // All that is said can be sent, to somebody who is there.
  template <class Direction, class Peer, class Message>
  void sent(Asked<Peer, Message>& connected, const Peer& to, const Message& message) {
    std::string frame;
    wire::append_frame(message, frame);
    const auto payload = std::string_view{frame}.substr(wire::prefix_bytes);
    FIXKEEP_ASSERT(wire::decode<Direction>(payload), "sends what nobody takes");
    const auto found = connected.find(to);
    if (found == connected.end()) return;
    found->second.push_front(message);
    if (found->second.size() > 8) found->second.pop_back();
  }

  Script& script_;
  bool has_engine_;
  TimePoint now_{std::chrono::seconds{1000}};
  master::MasterCore core_;
  std::uint64_t tickets_ = 0;
  std::set<TicketId> waiting_;
  std::set<TicketId> leaving_;        // a leave goes on although its ticket is cancelled
  std::multiset<CreationId> orders_;  // that have no end yet
  Asked<WorkerId, wire::Order> workers_;
  Asked<MasterId, wire::BetweenMasters> peers_;
  std::vector<WorkerId> closed_workers_;
  std::vector<MasterId> closed_peers_;
  std::deque<std::pair<GroupKey, std::uint64_t>> engine_asked_;
};

}  // namespace

void fuzz_master_core(std::string_view bytes) {
  Script script{bytes};
  MasterRun{script}.run();
}

}  // namespace fixkeep::fuzz
