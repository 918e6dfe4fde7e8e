// A Hold is one master's use of the lock of one group, from the grant to the release: a sans-IO
// machine.
//
//   phase     the holder                                until                      next phase
//   none      has no lock and does nothing              Granted                    awaiting
//   awaiting  waits for workers that it should know     all have shown their state fencing, trying
//   fencing   collects the promises of the workers      all have promised          trying
//   trying    makes the driver ask the existing rooms   no known seat is left      ordering
//   ordering  waits for the answers to its orders,      all orders have ended      awaiting, none
//             unless the lock value names all of them   orders_named               none
//
// Awaiting leads to fencing if a fence is owed, and to trying otherwise. Ordering leads back to
// awaiting if an order was refused and a claim still waits. Fencing and trying lead to fencing when
// a fence is owed (again). Every phase leads to none when the lock is lost or the hold has lasted
// too long. Phases without open orders also lead to none when nothing is to be ordered or no claim
// waits.
//
// The driver steps the machine with each event and then with Look. The driver performs the outputs
// in their order. Before the next Look the driver answers Prepare, TrySeats and OrderRooms with the
// events that hold_events.hpp names beside these outputs. The driver repeats Look until a Look has
// no output. The machine exists as long as its group: an unfinished fence is a debt that the next
// hold must pay.
//
// Fault model: masters and workers crash and restart, links break. Two masters may hold the lock at
// the same time. The workers' promises are enough: docs/locks.md, "The fence", explains why.
//
// Invariants: 1. OrderRooms is output only during a hold without an owed fence. A fence is owed
//                after a grant with `needs_fence`, after an order with unknown fate and after a
//                stale order. A fence is also owed after a change of links: a worker that has
//                connected since the grant has promised nothing.
//             2. A fence is complete only if all asked workers have promised its token and no link
//                has changed since. A promise is lost with its connection. If a round kept the
//                promises of workers with an unchanged link, two orders could both succeed.
//             3. The basis of an order is the newest complete fence that the holder knows: the
//                fence in the lock value, or its own fence. With a newer basis the order would pass
//                a fence that the orderer does not know.
//             4. Each round has a token that no earlier round or order has used. Workers promise
//                only tokens that they have not seen. An order with the old token may still arrive.
//             5. A debt is never forgotten. A hold that ends with an owed fence or an order of
//                unknown fate releases an uncertain value. An unused grant that needed a fence does
//                the same. If the lock was lost, the next hold owes the fence. The lock value names
//                each unanswered order or becomes uncertain. If such an order gets no answer or is
//                stale, the master's next hold owes a fence.
//             6. Nothing is ordered until the workers of hinted rooms have connected or were
//                awaited in vain: these rooms may have seats. The same is true for an ordered room
//                that no worker has shown, if the link to its worker breaks during the hold.
//             7. Nothing is ordered for a claim that may find a seat in an existing room. Existing
//                rooms are asked under this lock, after the fence that showed them. While an answer
//                is due, orders are only for claims beyond the seats that the answer may grant.
//             8. A hold ends at the latest at its time limit or after HoldOptions::fence_rounds
//                rounds.
// Thread rule: a value, one owner. Bounds: O(workers). Errors: none; events for other phases, holds
// and rounds are ignored.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/hold/fence.hpp"
#include "master/core/hold/hold_events.hpp"

namespace fixkeep::master {

struct HoldOptions {
  MasterId self;
  Duration longest{};  // longest time from grant to release
  Duration await{};    // longest wait for workers that other masters know; see MasterOptions
  std::uint32_t fence_rounds = 8;  // limit on rounds in one hold; then other masters try
  friend bool operator==(const HoldOptions&, const HoldOptions&) = default;
};

class Hold {
 public:
  static constexpr std::uint32_t most_tries = 4;  // most waves of SeatRequests in phase `trying`

  enum class Phase : std::uint8_t { none, awaiting, fencing, trying, ordering };

  explicit Hold(const HoldOptions& options) : options_(options) {}

  void step(const hold::Event& event, TimePoint now, hold::Outputs& out);
  // This master was held up for `late` and must first read the messages of that time. Moves the
  // times of the hold by `late`. The caller must then set its timers anew.
  void held_up(Duration late);
  // Returns the GiveBack for a grant that is no longer needed.
  [[nodiscard]] static hold::GiveBack decline(const hold::Granted& grant);

  [[nodiscard]] Phase phase() const { return now_.phase; }
  [[nodiscard]] bool active() const { return now_.phase != Phase::none; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // counts holds from 1
  [[nodiscard]] TimePoint limit() const { return now_.limit; }
  [[nodiscard]] TimePoint await_until() const { return now_.await_until; }
  // Returns whether all orders from before this hold are known or void.
  [[nodiscard]] bool fenced() const {
    const bool complete = now_.fence.begun() && now_.basis == now_.token;
    return active() && complete && !now_.links_changed;
  }
  // Returns whether another wave of SeatRequests may be sent.
  [[nodiscard]] bool may_ask() const {
    return now_.phase != Phase::trying || now_.tries < most_tries;
  }
  // Workers that refused an order of this hold, because they could not start a room. excluded_at():
  // the capacity generation at the first such refusal.
  [[nodiscard]] const std::set<WorkerId>& excluded() const { return now_.excluded; }
  [[nodiscard]] std::uint64_t excluded_at() const { return now_.excluded_at; }

  friend bool operator==(const Hold&, const Hold&) = default;
  void append_bytes(
      std::string& out) const;  // appends all variable fields, as the lock machines do

 private:
  // The state of one hold; each hold starts with a new state.
  struct Current {
    Phase phase = Phase::none;
    FencingToken token;    // token of the next order or round
    FencingToken highest;  // highest token used or seen
    FencingToken basis;    // newest known complete fence
    TimePoint limit;
    TimePoint await_until;
    // The awaited runs of hinted rooms. The value is true if a link to the worker has changed since
    // the grant: a state that the worker shows after this change is newer than the hint.
    std::map<WorkerRun, bool> awaited;
    bool fence_owed = false;
    bool above_all = false;      // after a stale order: next round above `highest`
    bool links_changed = false;  // a link has changed since the grant or the start of the round
    bool fate_unknown = false;   // the end of an order of this hold is unknown
    bool refused = false;        // a worker without capacity refused an order
    Fence fence;
    std::uint32_t rounds = 0;
    std::uint32_t tries = 0;   // waves of seat requests since the last order
    std::uint32_t orders = 0;  // unanswered orders
    std::uint32_t next_index = 0;
    std::set<WorkerId> excluded;
    std::uint64_t excluded_at = 0;
    friend bool operator==(const Current&, const Current&) = default;
  };

  void on(const hold::Granted& grant, TimePoint now, hold::Outputs& out);
  void on(const hold::LinkChanged& changed, TimePoint now, hold::Outputs& out);
  void on(const hold::WorkerKnown& worker, TimePoint now, hold::Outputs& out);
  void on(const hold::RunMissing& missing, TimePoint now, hold::Outputs& out);
  void on(const hold::RoomOverdue& overdue, TimePoint now, hold::Outputs& out);
  void on(const hold::Asked& asked, TimePoint now, hold::Outputs& out);
  void on(const hold::PromiseAnswered& answer, TimePoint now, hold::Outputs& out);
  void on(const hold::SeatsAsked& asked, TimePoint now, hold::Outputs& out);
  void on(const hold::Ordered& ordered, TimePoint now, hold::Outputs& out);
  void on(const hold::OrderEnded& ended, TimePoint now, hold::Outputs& out);
  void on(const hold::LockLost& lost, TimePoint now, hold::Outputs& out);
  void on(const hold::Look& look, TimePoint now, hold::Outputs& out);

  [[nodiscard]] bool all_came(const hold::Look& look, TimePoint now, hold::Outputs& out);
  [[nodiscard]] bool needs_round() const;
  void begin_fence(std::uint64_t used, hold::Outputs& out);
  void last_look(const hold::Look& look, hold::Outputs& out);
  void orders_done(const hold::Look& look, hold::Outputs& out);
  void release(bool pause, hold::Outputs& out, bool orders_named = false);

  HoldOptions options_;
  std::uint64_t number_ = 0;
  bool debt_ = false;  // an earlier hold or its order left an owed fence
  Current now_;
};

}  // namespace fixkeep::master
