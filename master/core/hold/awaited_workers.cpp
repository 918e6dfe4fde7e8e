#include "master/core/hold/awaited_workers.hpp"

#include <algorithm>

namespace fixkeep::master {

AwaitedWorkers::AwaitedWorkers(const Patience& patience, TimePoint started)
    : patience_(patience), started_(started) {
  if (patience.after_start > Duration{0}) anybody_until_ = started + patience.after_start;
}

void AwaitedWorkers::named_by_peer(const WorkerId& worker, TimePoint now) {
  // Waits only shortly after this master's start. Later, the master normally knows all workers.
  const TimePoint until = started_ + patience_.join_grace;
  if (now < until) expected_.emplace(worker, until);
}

void AwaitedWorkers::connected(const WorkerRun& run, Duration patience, TimePoint now) {
  silent_[run.first] = now + patience;
  given_up_.erase(run);
}

void AwaitedWorkers::held_up(Duration late, Duration linked_late) {
  if (anybody_until_) *anybody_until_ += late;
  for (auto* waits : {&expected_, &recently_down_}) {
    for (auto& [worker, until] : *waits) until += late;
  }
  for (auto& [worker, until] : silent_) until += linked_late;
}

void AwaitedWorkers::introduced(const WorkerId& worker) {
  silent_.erase(worker);
  expected_.erase(worker);
  recently_down_.erase(worker);
}

void AwaitedWorkers::went_down(const WorkerId& worker, std::size_t linked, TimePoint now) {
  std::erase_if(recently_down_, [&](const auto& entry) { return entry.second <= now; });
  const TimePoint until = now + patience_.worker_reply;
  recently_down_[worker] = until;
  if (recently_down_.size() < linked) return;
  for (const auto& [gone, at] : recently_down_) expected_[gone] = until;
}

void AwaitedWorkers::time_passed(TimePoint now) {
  if (anybody_until_ && *anybody_until_ <= now) anybody_until_.reset();
  std::erase_if(expected_, [&](const auto& entry) { return entry.second <= now; });
}

std::vector<TimePoint> AwaitedWorkers::ends() const {
  std::vector<TimePoint> ends;
  if (anybody_until_) ends.push_back(*anybody_until_);
  for (const auto& [worker, until] : expected_) ends.push_back(until);
  return ends;
}

std::vector<WorkerId> AwaitedWorkers::silent(TimePoint now) const {
  std::vector<WorkerId> found;
  for (const auto& [worker, until] : silent_) {
    if (until <= now) found.push_back(worker);
  }
  return found;
}

TimePoint AwaitedWorkers::next_tick() const {
  TimePoint at = anybody_until_.value_or(TimePoint::max());
  for (const auto& [worker, until] : silent_) at = std::min(at, until);
  return at;
}

void AwaitedWorkers::give_up(const std::set<WorkerRun>& runs) {
  if (given_up_.size() + runs.size() > most_given_up) given_up_.clear();
  given_up_.insert(runs.begin(), runs.end());
}

}  // namespace fixkeep::master
