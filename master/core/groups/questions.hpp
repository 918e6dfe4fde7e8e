// A question is a master's unanswered request to a worker: for seats in a room, for a promise (the
// fence) or for a new room.
//
// Invariants: 1. A question accepts one answer, from the asked worker and of the question's kind.
//             2. Group::asked contains exactly the open questions for its group.
// A worker answers in the order of the questions. So a worker that answers a later question first
// is not slow: it is a liar. Time in which the master was held up does not count: the answers may
// wait in its sockets. Thread rule: a value, one owner. Bounds: one SeatRequest per room, one
// promise per worker and hold, orders within MasterOptions. Errors: an answer without a question is
// ignored.
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
  std::uint32_t seats = 0;  // seats that the claims need
  TimePoint asked_at;
  std::vector<TicketId> lent{};                  // a pool's gathered tickets, instead of claims
  std::uint64_t hold = 0;                        // with `lent`: Hold::number()
  std::vector<std::vector<PlayerId>> players{};  // players of each lent ticket
};
struct PromiseQuestion {
  FencingToken token;
};
struct OrderQuestion {
  std::vector<ClaimNumber> claims;
  std::uint32_t spare = 0;  // seats of the room that the claims do not take
  std::uint64_t hold = 0;   // Hold::number()
  CreationId creation;
  ClientAddress client;        // client of the first claim
  wire::RequestContext cause;  // OrderDone::cause
  bool only_warm = false;
  TimePoint asked_at;
  std::vector<TicketId> lent{};  // `lent`, `players`: as in SeatQuestion
  std::vector<std::vector<PlayerId>> players{};
};

// A question to a worker, and the group that the question is about.
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
  // A worker that answers nothing at all counts as silent after `patience` times the `time` that
  // put() allows for an answer.
  static constexpr int patience = 4;

  // Adds a question. `time`: how long the worker may take. After wait_on() it may take this time
  // again.
  Number put(Question&& question, TimePoint now, Duration time);
  // Removes and returns the question that this worker answers. Returns nothing if the worker has no
  // such question.
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
  // Removes all questions to a worker that will not answer; oldest first.
  [[nodiscard]] std::vector<Question> take_all(const WorkerId& worker);
  // Removes the questions of the present fence round: later answers to this round are ignored.
  void forget_promises(Group& group);

  // Calls take(const SeatQuestion&) for each open SeatQuestion of the group, oldest first.
  void each_asked_room(const Group& group, auto take) const {
    for (const Number number : group.asked->seats) {
      take(std::get<SeatQuestion>(open_.at(number).question.about));
    }
  }
  // Returns the unanswered orders for the group, oldest first.
  [[nodiscard]] std::vector<std::pair<WorkerId, const OrderQuestion*>> orders(
      const Group& group) const;
  struct Overdue {
    Number number = 0;
    const Question* question = nullptr;
    bool lost = false;  // treat the worker as lost: it never answers
  };
  // Returns the first overdue question, if any.
  [[nodiscard]] std::optional<Overdue> overdue(TimePoint now) const;
  // Call if the question is overdue but its worker is not lost. Notes the worker's silence. The
  // answer becomes overdue again after the time that put() allowed.
  void wait_on(Number number, TimePoint now);
  // Notes that the worker has answered a question. This master may have closed the question
  // already.
  void heard(const WorkerId& worker);
  // Allows each answer the additional time `late`, because this master was held up for this time.
  void held_up(Duration late) { slept_ += late; }
  [[nodiscard]] TimePoint next_expiry() const;  // TimePoint::max(): no open question

 private:
  struct Open {
    Question question;
    TimePoint expires;  // expiry on a clock that stands still while the master is held up
    Duration time{};
  };
  // The answers of one worker over its present link, and the start of its silence.
  struct Answers {
    Number last = 0;                        // newest answered question
    std::optional<TimePoint> silent_since;  // first overdue time; any answer resets this
  };

  static void count(Number number, const Question& question);
  static void discount(Number number, const Question& question);

  std::map<Number, Open> open_;  // ordered by age
  Schedule<Number> by_time_;
  std::map<WorkerId, Answers> answers_;
  Duration slept_{};
  Number last_ = 0;
};

}  // namespace fixkeep::master
