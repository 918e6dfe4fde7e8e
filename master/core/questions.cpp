#include "master/core/questions.hpp"

#include <vector>

namespace fixkeep::master {
namespace {

// Keeps Group::asked for the kinds of questions.
struct Count {
  AskedOfWorkers& asked;
  Questions::Number number;

  void operator()(const SeatQuestion&) const { asked.seats.insert(number); }
  void operator()(const PromiseQuestion&) const { asked.promises.insert(number); }
  void operator()(const OrderQuestion&) const { asked.orders.insert(number); }
};

struct Discount {
  AskedOfWorkers& asked;
  Questions::Number number;

  void operator()(const SeatQuestion&) const { asked.seats.erase(number); }
  void operator()(const PromiseQuestion&) const { asked.promises.erase(number); }
  void operator()(const OrderQuestion&) const { asked.orders.erase(number); }
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
  by_time_.add(expires, last_);
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
    by_time_.remove(at->second.expires, at->first);
    taken.push_back(std::move(question));
    at = open_.erase(at);
  }
  return taken;
}

void Questions::forget_promises(Group& group) {
  for (const Number number : group.asked.promises) {
    const auto at = open_.find(number);
    by_time_.remove(at->second.expires, number);
    open_.erase(at);
  }
  group.asked.promises.clear();
}

std::vector<std::pair<WorkerId, const OrderQuestion*>> Questions::orders(const Group& group) const {
  std::vector<std::pair<WorkerId, const OrderQuestion*>> found;
  for (const Number number : group.asked.orders) {
    const Question& question = open_.at(number).question;
    found.emplace_back(question.worker, &std::get<OrderQuestion>(question.about));
  }
  return found;
}

const Question* Questions::overdue(TimePoint now) const {
  const Number* number = by_time_.due(now);
  return number == nullptr ? nullptr : &open_.at(*number).question;
}

TimePoint Questions::next_expiry() const {
  return by_time_.next();
}

}  // namespace fixkeep::master
