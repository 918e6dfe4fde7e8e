// A question is an unanswered request of a master to a worker for seats in a room, for the promise
// of a fence or for a new room.
//
// Invariants: 1. The answer to a question is taken once. It must come from the asked worker and be
//                of the question's kind.
//             2. Group::asked counts exactly the questions of its group that are here.
// A worker answers in the order of the questions. A slow worker has answered no later question. One
// that has is a liar. Time in which the master itself was held up does not count: the answers may
// wait in its sockets.
// Thread rule: a value, one owner. Bounds: one SeatRequest a room, one promise a worker and hold,
// orders within MasterOptions. Errors: answers to nothing are ignored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/groups/group.hpp"
#include "master/core/groups/schedule.hpp"

namespace fixkeep::master {

struct SeatQuestion {
  RoomId room;
  std::vector<ClaimNumber> claims;
  std::uint32_t seats = 0;  // seats that its claims would take
  TimePoint asked_at;
  std::vector<TicketId> lent{};  // a pool's tickets instead of claims, named as in its gathering
  std::uint64_t hold = 0;        // then it is Hold::number()
  std::vector<std::vector<PlayerId>> players{};  // players of each lent ticket
};
struct PromiseQuestion {
  FencingToken token;
};
struct OrderQuestion {
  std::vector<ClaimNumber> claims;
  std::uint32_t spare = 0;  // seats of the room that its claims do not take
  std::uint64_t hold = 0;   // Hold::number()
  CreationId creation;
  ClientAddress client;        // client of the first claim
  wire::RequestContext cause;  // OrderDone::cause
  bool only_warm = false;
  TimePoint asked_at;
  std::vector<TicketId> lent{};  // these two as in SeatQuestion
  std::vector<std::vector<PlayerId>> players{};
};

// A message to a worker that wants an answer.
template <class About>
struct QuestionAbout {
  Group* group = nullptr;
  WorkerId worker;
  About about;
};
using Question = QuestionAbout<std::variant<SeatQuestion, PromiseQuestion, OrderQuestion>>;

class Questions {
 public:
  using Number = std::uint64_t;
  // Number of times that a question's time may pass before its worker counts as silent.
  static constexpr int patience = 4;

  // Its answer is overdue after `time` and again after each further `time`.
  Number put(Question&& question, TimePoint now, Duration time);
  // The question that this worker answers, or nothing if it was not asked that.
  template <class About>
  [[nodiscard]] std::optional<QuestionAbout<About>> take(Number number, const WorkerId& worker) {
    const auto at = open_.find(number);
    if (at == open_.end() || at->second.question.worker != worker) return std::nullopt;
    auto* about = std::get_if<About>(&at->second.question.about);
    if (about == nullptr) return std::nullopt;
    discount(number, at->second.question);
    by_time_.remove(at->second.expires, number);
    Number& last = answers_[worker].last;
    last = std::max(last, number);
    QuestionAbout<About> taken{at->second.question.group, worker, std::move(*about)};
    open_.erase(at);
    return taken;
  }
  // All of a worker that does not answer any more, the oldest first.
  [[nodiscard]] std::vector<Question> take_all(const WorkerId& worker);
  // The present round is over: answers to it do not count any more.
  void forget_promises(Group& group);

  // take(const SeatQuestion&) with each room that is being asked for the group, the oldest first.
  template <class Take>
  void each_asked_room(const Group& group, Take take) const {
    for (const Number number : group.asked->seats) {
      take(std::get<SeatQuestion>(open_.at(number).question.about));
    }
  }
  // The orders for the group that have no answer, the oldest first.
  [[nodiscard]] std::vector<std::pair<WorkerId, const OrderQuestion*>> orders(
      const Group& group) const;
  struct Overdue {
    Number number = 0;
    const Question* question = nullptr;
    bool lost = false;  // it will not be answered, or its worker is no better than if it would not
  };
  // The first question that has waited too long, if any.
  [[nodiscard]] std::optional<Overdue> overdue(TimePoint now) const;
  // Its worker is behind from now on, if it was not before.
  void wait_on(Number number, TimePoint now);
  // The worker has answered something, perhaps a question that is closed.
  void heard(const WorkerId& worker);
  // The master was not there for so long.
  void held_up(Duration late) { slept_ += late; }
  [[nodiscard]] TimePoint next_expiry() const;  // TimePoint::max() if there is nothing

 private:
  struct Open {
    Question question;
    TimePoint expires;  // expiry on a clock that stands still while the master is held up
    Duration time{};
  };
  // These are the answers of one worker, over the link that there is now.
  struct Answers {
    Number last = 0;  // newest question that it has answered
    std::optional<TimePoint>
        silent_since;  // time of the first overdue answer; nothing was heard since
  };

  static void count(Number number, const Question& question);
  static void discount(Number number, const Question& question);

  std::map<Number, Open> open_;  // the oldest first
  Schedule<Number> by_time_;
  std::map<WorkerId, Answers> answers_;
  Duration slept_{};
  Number last_ = 0;
};

}  // namespace fixkeep::master
