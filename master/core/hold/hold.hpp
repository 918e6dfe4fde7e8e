// A Hold is one master's use of the lock of one group, from the grant to the release: a sans-IO
// machine.
//
//   phase     what the holder does                      until                      and then
//   none      nothing: the lock is not held             Granted                    awaiting
//   awaiting  waits for workers that it should know     all have been heard of     fencing, trying
//   fencing   collects the promises of the workers      all have promised          trying
//   trying    lets the rooms that exist be asked        all seats are spoken for   ordering
//   ordering  waits for the answers to its orders,      all orders have ended      awaiting, none
//             unless the lock value names all of them   orders_named               none
//
// Awaiting leads to fencing if a fence is owed and to trying otherwise. Ordering leads back to
// awaiting if an order was refused and a claim still waits. Fencing and trying lead to fencing when
// a fence is owed (again). Every phase leads to none when the lock is lost or the hold has lasted
// too long. It also does when there is nothing to order or no claim waits any more (not with orders
// out).
//
// The driver steps each event and then Look. It performs the outputs in their order. Before the
// next Look it answers Prepare, TrySeats and OrderRooms with the events named beside them. As long
// as a Look puts something out it looks again. The machine lives as long as its group: one hold's
// unfinished fence is a debt of the next.
//
// Fault model: masters and workers crash and restart, links break. Two masters may hold the lock at
// once. The workers' promises suffice: docs/locks.md, "The fence", tells why.
//
// Invariants: 1. OrderRooms only while holding and while no fence is owed. A fence is owed after a
//                grant that asks for one and after an order of unknown fate or refused as stale. It
//                is also owed after a change of links: a worker that has connected since the grant
//                has promised nothing.
//             2. A fence counts only if all asked workers have promised its token and no link has
//                changed since. A promise lives as long as its connection. To keep the others'
//                promises of a round would let two orders through.
//             3. The basis of an order is the newest complete fence that the holder knows: the lock
//                value's or its own. A basis that claimed more would let the order pass a fence
//                that its holder does not know of.
//             4. No token serves two rounds, nor a round after an order. Workers promise no token
//                that they have seen. An order under the old one may be on its way.
//             5. A debt is never forgotten. A hold that ends with a fence owed or an order of
//                unknown fate gives the lock back as uncertain. If the lock was lost, it owes the
//                fence in its next hold. The same is true of a grant that comes too late to be
//                used. An order without an answer is passed on by its name or makes the value
//                uncertain. Its master owes a fence in its next hold if no answer comes or it is
//                stale.
//             6. Nothing is ordered before the workers of hinted rooms have come or were awaited in
//                vain: these rooms may have seats. An ordered room that no worker has shown may
//                have them too if the link to its worker breaks during the hold.
//             7. Nothing is ordered for a claim that may find a seat in an existing room. Existing
//                rooms are asked under this lock, after the fence that told of them. While an
//                answer is due, orders are only for claims beyond all seats that it may bring.
//             8. A hold ends at its limit at the latest, and after HoldOptions::fence_rounds.
// Thread rule: a value, one owner. Bounds: O(workers). Errors: none; events of other phases, holds
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
  Duration await{};    // the longest wait for workers that others know; see MasterOptions
  std::uint32_t fence_rounds = 8;  // most rounds of one hold; then others have a try
  friend bool operator==(const HoldOptions&, const HoldOptions&) = default;
};

class Hold {
 public:
  static constexpr std::uint32_t most_tries = 4;  // waves of seat requests in the last look

  enum class Phase : std::uint8_t { none, awaiting, fencing, trying, ordering };

  explicit Hold(const HoldOptions& options) : options_(options) {}

  void step(const hold::Event& event, TimePoint now, hold::Outputs& out);
  // This master was held up for `late` and has yet to hear the messages of that time. The hold's
  // times move by it. The caller looks at it then.
  void held_up(Duration late);
  // The GiveBack for a grant that is not wanted any more.
  [[nodiscard]] static hold::GiveBack decline(const hold::Granted& grant);

  [[nodiscard]] Phase phase() const { return now_.phase; }
  [[nodiscard]] bool active() const { return now_.phase != Phase::none; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // the latest hold's, from 1
  [[nodiscard]] TimePoint limit() const { return now_.limit; }
  [[nodiscard]] TimePoint await_until() const { return now_.await_until; }
  // All orders before this hold are known by now or void.
  [[nodiscard]] bool fenced() const {
    const bool complete = now_.fence.begun() && now_.basis == now_.token;
    return active() && complete && !now_.links_changed;
  }
  // Whether another wave of seat requests may go out.
  [[nodiscard]] bool may_ask() const {
    return now_.phase != Phase::trying || now_.tries < most_tries;
  }
  // Workers that could not start a room. excluded_at(): the capacity generation when the first of
  // them refused.
  [[nodiscard]] const std::set<WorkerId>& excluded() const { return now_.excluded; }
  [[nodiscard]] std::uint64_t excluded_at() const { return now_.excluded_at; }

  friend bool operator==(const Hold&, const Hold&) = default;
  void append_bytes(std::string& out) const;  // every field that changes, as the lock machines do

 private:
  // All of one hold; a new one starts from nothing.
  struct Current {
    Phase phase = Phase::none;
    FencingToken token;    // token of the next order or round
    FencingToken highest;  // the highest that we used or were told of
    FencingToken basis;    // the newest complete fence that we know of
    TimePoint limit;
    TimePoint await_until;
    // Awaited hinted runs. True: a link of the worker has changed since the grant, and a later link
    // knows better than an earlier hint.
    std::map<WorkerRun, bool> awaited;
    bool fence_owed = false;
    bool above_all = false;      // the next round is to be above `highest`: an order was stale
    bool links_changed = false;  // a link changed since the grant or the start of the round
    bool fate_unknown = false;   // the end of an order of this hold is unknown
    bool refused = false;        // an order, for want of room: there may be some elsewhere
    Fence fence;
    std::uint32_t rounds = 0;
    std::uint32_t tries = 0;   // waves of seat requests since the last order
    std::uint32_t orders = 0;  // unanswered
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
  bool debt_ = false;  // an earlier hold, or an order of one, left a fence to be made
  Current now_;
};

}  // namespace fixkeep::master
