#include "master/core/questions.hpp"

#include <algorithm>

namespace fixkeep::master {
namespace {

// Keeps Group::asked for the kinds of questions.
struct Count {
  AskedOfWorkers& asked;
  Questions::Number number;

  void operator()(const SeatQuestion& seats) const {
    asked.seats.insert(number);
    asked.seats_left += seats.seats_left;
  }
  void operator()(const PromiseQuestion&) const { asked.promises.insert(number); }
  void operator()(const OrderQuestion&) const { ++asked.orders; }
};

struct Discount {
  AskedOfWorkers& asked;
  Questions::Number number;

  void operator()(const SeatQuestion& seats) const {
    asked.seats.erase(number);
    asked.seats_left -= seats.seats_left;
  }
  void operator()(const PromiseQuestion&) const { asked.promises.erase(number); }
  void operator()(const OrderQuestion&) const { --asked.orders; }
};

}  // namespace

void Questions::count(Number number, const Question& question) {
  std::visit(Count{question.group->asked, number}, question.about);
}

void Questions::discount(Number number, const Question& question) {
  std::visit(Discount{question.group->asked, number}, question.about);
}

Questions::Number Questions::put(Question&& question, TimePoint expires) {
  count(++last_, question);
  open_.emplace_hint(open_.end(), last_, Open{std::move(question), expires});
  return last_;
}

std::vector<Question> Questions::take_all(const WorkerId& worker) {
  std::vector<Question> taken;
  for (auto at = open_.begin(); at != open_.end();) {
    Question& question = at->second.question;
    if (question.worker != worker) {
      ++at;
      continue;
    }
    discount(at->first, question);
    taken.push_back(std::move(question));
    at = open_.erase(at);
  }
  return taken;
}

void Questions::forget_promises(Group& group) {
  for (const Number number : group.asked.promises) open_.erase(number);
  group.asked.promises.clear();
}

bool Questions::may_leave(const Group& group, std::uint32_t seats) const {
  const auto& asked = group.asked.seats;
  return std::any_of(asked.begin(), asked.end(), [&](Number number) {
    const auto* question = std::get_if<SeatQuestion>(&open_.at(number).question.about);
    return question->seats_left >= seats;
  });
}

const WorkerId* Questions::overdue(TimePoint now) const {
  if (open_.empty() || open_.begin()->second.expires > now) return nullptr;
  return &open_.begin()->second.question.worker;
}

TimePoint Questions::next_expiry() const {
  return open_.empty() ? TimePoint::max() : open_.begin()->second.expires;
}

}  // namespace fixkeep::master
