// The masters and workers of a scenario, and all that lies between them: what its commands act on.
//
// A node is real (a MasterCore, a RoomHost) or played by the text. What real nodes send each other
// goes through the codec and waits until it is delivered; what a real node sends to a played one is
// seen, and what a played one says arrives at once. The lock is played as well, or served in the
// order of asking, or the masters have their own. A worker's batch ends after each of its steps.
//
// Invariants that it checks as it goes: a ticket is answered once, and not after it was cancelled;
// rooms are ordered under the group's lock alone, for claims that wait; no room is overbooked or
// has a player twice; a creation id starts one room; promises only grow; a worker's records make
// its memory; what it tells a played master is true, and what a real one believes when nothing is
// on its way. In the end all are answered, no group is remembered, and only a player that was told
// has a seat. Thread rule: one owner. Bounds: `most_steps` at a time. Errors: ScenarioError.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "master/core/master_core.hpp"
#include "tests/scenarios/cluster/message_text.hpp"
#include "tests/scenarios/cluster/words.hpp"
#include "tests/support/newcomer_watch.hpp"
#include "tests/unit/worker/core/believer.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::scenarios {

struct ClaimWords {  // what a claim says besides its players
  GroupKey group{"g"};
  ModeName mode{"duel"};
  std::uint32_t capacity = 0;
  Duration wait{};
  std::string client;
  bool one_seat_per_group = false;
  std::optional<RoomId> room{};             // no other will do
  std::optional<wire::MatchFacts> match{};  // without its players, who are those of the claim
};

class World {
 public:
  static constexpr int most_steps = 1'000'000;

  // --- nodes
  void add_master(const std::string& name, const master::MasterOptions& options);
  void crash_master(const std::string& name);  // its clients are gone with it
  void restart_master(const std::string& name);
  void add_worker(const std::string& name, worker::RoomHostOptions options);
  void crash_worker(const std::string& name);
  void restart_worker(const std::string& name, bool complete);  // from its memory
  void connect(const std::string& master, const std::string& worker, Incarnation run);
  // Both ends notice.
  void cut(const std::string& master, const std::string& worker);
  [[nodiscard]] bool real(const std::string& node) const;
  [[nodiscard]] master::MasterCore& master(const std::string& name);
  [[nodiscard]] worker::RoomHost& host(const std::string& name);
  [[nodiscard]] RoomNumber newest_started(const std::string& worker) const;
  [[nodiscard]] bool has_worker(const std::string& name) const { return hosts_.contains(name); }
  [[nodiscard]] Incarnation run_of(const std::string& worker) const {
    return hosts_.at(worker).options.incarnation;
  }
  [[nodiscard]] std::vector<std::string> masters() const;
  [[nodiscard]] std::vector<std::string> workers() const;  // the real ones

  // --- messages
  void say(const std::string& from, const std::string& to, Words& words);  // of a played node
  // The next message of a real node to another, which has all the words.
  void deliver(const std::string& from, const std::string& to, Words& words);
  bool deliver_next();  // of all that is on its way; false if nothing is
  void deliver_all();
  [[nodiscard]] std::vector<std::string> on_its_way() const;

  // --- what happens
  void claim(const std::string& master, const wire::Claim& claim, const ClaimWords& words);
  void leave(const std::string& master, const std::string& player, bool leaves_match);
  void cancel(const std::string& ticket);
  void at_master(const std::string& name, master::Event event);
  void call_master(const std::string& name,
                   const std::function<void(master::MasterCore&, master::Actions&)>& call);
  void at_worker(const std::string& name, worker::Event event);
  void hold_batch(const std::string& worker) { hosts_.at(worker).held = true; }
  void end_batch(const std::string& worker);
  void make_ready(const std::string& worker, RoomNumber room);  // placed before, if it was not
  void boot();                                                  // all that starts is ready
  void fail_boots(const std::string& how);
  void pass(Duration time, bool deliver);
  void finish();  // delivers, boots and lets time pass until nobody waits
  void end();     // everybody is answered, nothing is left; else ScenarioError

  // --- the lock
  void grant(master::LockGranted grant, const std::string& master);
  void lose(const GroupKey& group, lock::LostReason reason, const std::string& master);
  FencingToken next_token(const std::string& master) { return {++token_, master_of(master)}; }

  void check();  // the invariants
  [[nodiscard]] std::vector<std::string> take_seen() { return std::exchange(seen_, {}); }
  void see(std::string line) { seen_.push_back(std::move(line)); }
  void see_rooms(const std::string& worker);
  void see_directory(const std::string& master, const std::string& group);  // empty: all
  void see_events(const std::string& master);  // the kinds that it has recorded
  void see_duplicates();                       // groups whose players would fit fewer rooms
  void see_tokens();   // groups whose rooms were ordered under tokens that do not grow
  void see_answers();  // how many of which kind
  [[nodiscard]] std::size_t rooms_started() const { return rooms_started_; }

  MessageText text;
  TimePoint now{std::chrono::seconds{1000}};
  bool own_locks = false, serves_lock = false;     // else the text plays the locks of the masters
  bool checks_seats = false, needs_fence = false;  // where no master is played; the served lock
  std::uint32_t capacity = 4;
  Newcomers newcomers = Newcomers::always;
  std::map<std::string, RoomId> seat_of;  // by player, where it was answered last

  struct Machine {  // what only that of a real worker knows, by room
    std::map<RoomNumber, Duration> waited;
    std::map<RoomNumber, std::optional<bool>> connected;
    std::map<GroupKey, std::string> untold;
    std::string why_not_ready;
  };
  Machine& machine(const std::string& worker) { return *hosts_.at(worker).machine; }

 private:
  struct Host {
    std::unique_ptr<worker::RoomHost> core;
    worker::RoomHostOptions options;
    std::shared_ptr<Machine> machine = std::make_shared<Machine>();
    worker::Memory memory;
    std::set<RoomNumber> starting;
    RoomNumber started;                  // the newest one
    bool held = false, changed = false;  // its batch; since it was checked
  };
  struct Ticket {
    std::string name, player, master;
    bool open = true;
  };
  struct Lock {
    std::string holder;  // as the lock knows; empty: nobody
    std::deque<std::string> waiting;
    FencingToken highest;
    FencingToken fence;
    bool uncertain = false;
    std::vector<wire::RoomHint> hints;
  };
  struct Item {
    std::string from;
    std::string to;
    std::string what;
    std::function<void()> arrive;
  };

  void post(const std::string& from, const std::string& to, std::string what,
            std::function<void()> arrive);
  void forget_items(const std::string& a, const std::string& b);
  void step(Host& host, const std::string& name, worker::Event event);
  void perform(const std::string& master, master::Action& action);
  worker::MasterSaid said_to(const std::string& worker, MasterId master, wire::Order order);
  void perform(const std::string& worker, worker::Action& action);
  void send(const std::string& master, const master::SendToWorker& sent);
  void answered(TicketId ticket, const std::string& what);
  void order(const std::string& master, const master::LockOrder& order);
  [[nodiscard]] std::string show(const master::LockOrder& order) const;
  void serve(const std::string& master, const master::LockOrder& order);
  void hand_out(const GroupKey& group);
  void tick(bool deliver);
  [[nodiscard]] TimePoint next_tick() const;
  [[nodiscard]] std::size_t waiting() const;
  void check_rooms(const std::string& name, const Host& host);
  void check_seats() const;
  void check_belief(const std::string& name, const master::MasterCore& master) const;

  std::map<std::string, master::MasterCore> masters_;
  std::map<std::string, master::MasterOptions> plans_;
  master::LockOrders lock_orders_;  // of the master that is called
  std::map<std::string, Host> hosts_;
  std::set<std::pair<std::string, std::string>> links_;                // master, worker
  std::map<std::pair<std::string, std::string>, Dialogue> dialogues_;  // who asks, who answers
  std::map<std::pair<std::string, std::string>, worker::Believer> believers_;  // played masters
  std::deque<Item> queue_;
  std::map<std::uint64_t, Ticket> tickets_;
  std::map<std::string, std::uint64_t> ticket_named_;
  std::map<GroupKey, Lock> locks_;
  std::set<std::pair<std::string, GroupKey>> holding_;  // as the masters know
  std::map<std::pair<std::string, GroupKey>, FencingToken> promised_;
  support::NewcomerWatch newcomers_seen_;
  std::set<std::tuple<std::string, GroupKey, CreationId>> created_;
  std::map<GroupKey, std::vector<CreationId>> orders_;  // of rooms, as they were carried out
  std::set<GroupKey> groups_;                           // that were ever named
  std::vector<std::string> seen_;
  std::set<std::pair<PlayerId, RoomId>> answered_seats_;
  std::uint64_t seated_ = 0, refused_ = 0, rooms_started_ = 0, token_ = 0, runs_ = 0;
};

}  // namespace fixkeep::scenarios
