#include "master/core/groups/questions.hpp"

namespace fixkeep::master {
namespace {

// Adds the number of a question to Group::asked: to the set for seats, promises or orders.
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
  std::visit(Count{question.group->asked.change(), number}, question.about);
}

void Questions::discount(Number number, const Question& question) {
  std::visit(Discount{question.group->asked.change(), number}, question.about);
}

Questions::Number Questions::put(Question&& question, TimePoint now, Duration time) {
  const TimePoint expires = now - slept_ + time;
  count(++last_, question);
  by_time_.add(expires, last_);
  open_.emplace_hint(open_.end(), last_, Open{std::move(question), expires, time});
  return last_;
}

std::vector<Question> Questions::take_all(const WorkerId& worker) {
  std::vector<Question> taken;
  answers_.erase(worker);
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
  for (const Number number : group.asked->promises) {
    const auto at = open_.find(number);
    by_time_.remove(at->second.expires, number);
    open_.erase(at);
  }
  group.asked.change().promises.clear();
}

std::vector<std::pair<WorkerId, const OrderQuestion*>> Questions::orders(const Group& group) const {
  std::vector<std::pair<WorkerId, const OrderQuestion*>> found;
  for (const Number number : group.asked->orders) {
    const Question& question = open_.at(number).question;
    found.emplace_back(question.worker, &std::get<OrderQuestion>(question.about));
  }
  return found;
}

std::optional<Questions::Overdue> Questions::overdue(TimePoint now) const {
  const Number* number = by_time_.due(now - slept_);
  if (number == nullptr) return std::nullopt;
  const Open& open = open_.at(*number);
  const auto at = answers_.find(open.question.worker);
  bool lost = false;
  if (at != answers_.end()) {
    const auto& [last, silent_since] = at->second;
    const bool skipped = last > *number;
    lost = skipped || (silent_since && now - slept_ >= *silent_since + (patience - 1) * open.time);
  }
  return Overdue{*number, &open.question, lost};
}

void Questions::heard(const WorkerId& worker) {
  const auto at = answers_.find(worker);
  if (at != answers_.end()) at->second.silent_since.reset();
}

void Questions::wait_on(Number number, TimePoint now) {
  Open& open = open_.at(number);
  by_time_.remove(open.expires, number);
  Answers& answers = answers_[open.question.worker];
  if (!answers.silent_since) answers.silent_since = open.expires;
  open.expires = now - slept_ + open.time;
  by_time_.add(open.expires, number);
}

TimePoint Questions::next_expiry() const {
  const TimePoint next = by_time_.next();
  return next == TimePoint::max() ? next : next + slept_;
}

}  // namespace fixkeep::master
