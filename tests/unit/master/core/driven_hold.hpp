// One Hold that a test drives event by event: claims wait, and all else is as quiet as it can be.
// Thread rule: a value, one owner.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "master/core/hold.hpp"

namespace fixkeep::master {

inline FencingToken token(std::uint64_t counter, std::uint16_t master = 1) {
  return {counter, MasterId{master}};
}

class DrivenHold {
 public:
  DrivenHold() { look.somebody_waits = look.room_needed = true; }

  template <class Output>
  std::optional<Output> look_for() {
    step(look);
    return take<Output>();
  }
  void step(const hold::Event& event) {
    out.clear();
    hold.step(event, now, out);
  }
  // The only output of its kind.
  template <class Output>
  std::optional<Output> take() {
    std::optional<Output> found;
    for (hold::Output& output : out) {
      auto* wanted = std::get_if<Output>(&output);
      if (wanted == nullptr) continue;
      EXPECT_FALSE(found.has_value());
      found = *wanted;
    }
    return found;
  }
  bool silent() {
    step(look);
    return out.empty();
  }
  void grant(bool needs_fence = false, std::set<WorkerRun> missing = {}) {
    step(hold::Granted{token(7), token(5), needs_fence, false, std::move(missing)});
  }
  // REQUIRES: a fence is owed. Says which token it has.
  FencingToken fence() {
    const auto prepare = look_for<hold::Prepare>();
    EXPECT_TRUE(prepare.has_value());
    step(hold::Asked{{w1, w2}});
    return prepare ? prepare->token : FencingToken{};
  }
  void promise(const WorkerId& worker, FencingToken of) {
    step(hold::PromiseAnswered{worker, of, true, of});
  }
  void promise_all(FencingToken of) {
    promise(w1, of);
    promise(w2, of);
  }
  // From when all have come, and fenced if need be, to the order.
  std::optional<hold::OrderRooms> order() {
    EXPECT_TRUE(look_for<hold::TrySeats>().has_value());
    const auto wanted = look_for<hold::OrderRooms>();
    if (wanted) step(hold::Ordered{1});
    return wanted;
  }
  void order_ends(OrderFate fate, FencingToken highest = {}) {
    step(hold::OrderEnded{hold.number(), fate, w1, highest, 9});
  }
  std::optional<hold::GiveBack> nobody_waits() {
    look.somebody_waits = look.room_needed = false;
    auto back = look_for<hold::GiveBack>();
    look.somebody_waits = look.room_needed = true;
    return back;
  }

  const WorkerId w1{"w1"};
  const WorkerId w2{"w2"};
  const WorkerRun run{w1, Incarnation{4}};
  TimePoint now{std::chrono::seconds{100}};
  Hold hold{{MasterId{1}, std::chrono::seconds{4}, std::chrono::seconds{1}}};
  hold::Look look;
  hold::Outputs out;
};

}  // namespace fixkeep::master
