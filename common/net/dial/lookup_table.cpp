#include "common/net/dial/lookup_table.hpp"

namespace fixkeep::net {

bool LookupTable::is_known(const Entry& entry, TimePoint now) {
  return !entry.known.addresses.empty() && now < entry.known_until;
}

bool LookupTable::wants_one(const Entry& entry, TimePoint now) const {
  if (entry.waiting.empty()) return false;
  return entry.running == 0 || (entry.running == 1 && now - entry.started >= limits_.hangs);
}

LookupTable::Asked LookupTable::ask(const std::string& name, Question question, TimePoint now) {
  auto found = entries_.find(name);
  if (found != entries_.end() && is_known(found->second, now)) return found->second.known;
  if (questions_ >= limits_.questions) return Refused{};
  if (found == entries_.end()) {
    if (entries_.size() >= limits_.names) forget_what_is_old(now);
    if (entries_.size() >= limits_.names) return Refused{};
    found = entries_.emplace(name, Entry{}).first;
  }
  Entry& entry = found->second;
  entry.waiting.push_back(question);
  ++questions_;
  if (!entry.queued && wants_one(entry, now)) {
    entry.queued = true;
    queue_.push_back(name);
  }
  return Waits{};
}

void LookupTable::forget(const std::string& name, Question question) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  questions_ -= std::erase(found->second.waiting, question);
}

std::optional<LookupTable::Start> LookupTable::next(TimePoint now) {
  while (running_ < limits_.running && !queue_.empty()) {
    const std::string name = std::move(queue_.front());
    queue_.pop_front();
    Entry& entry = entries_.at(name);
    entry.queued = false;
    if (!wants_one(entry, now)) continue;  // forget() removed its questions
    ++entry.running;
    ++running_;
    entry.started = now;
    return Start{name, ++last_number_};
  }
  return std::nullopt;
}

std::vector<LookupTable::Question> LookupTable::answered(const Start& lookup,
                                                         const LookupAnswer& answer,
                                                         TimePoint now) {
  Entry& entry = entries_.at(lookup.name);
  --entry.running;
  --running_;
  if (lookup.number < entry.answered_by) return {};
  entry.answered_by = lookup.number;
  entry.known = answer;
  entry.known_until = now + limits_.keep;
  questions_ -= entry.waiting.size();
  return std::exchange(entry.waiting, {});
}

void LookupTable::forget_what_is_old(TimePoint now) {
  std::erase_if(entries_, [&](const auto& each) {
    const Entry& entry = each.second;
    return entry.waiting.empty() && entry.running == 0 && !entry.queued && !is_known(entry, now);
  });
}

}  // namespace fixkeep::net
