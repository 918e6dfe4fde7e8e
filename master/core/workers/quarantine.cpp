#include "master/core/workers/quarantine.hpp"

#include <algorithm>

namespace fixkeep::master {

std::string_view to_string(Misdeed misdeed) {
  switch (misdeed) {
    case Misdeed::silent: return "does not answer";
    case Misdeed::breaks_protocol: return "breaks the protocol";
    case Misdeed::refuses_promises: return "refuses every promise";
    case Misdeed::rooms_never_open: return "never opens the room that it started";
    case Misdeed::refuses_orders: return "refuses orders although it has room, as it says";
    case Misdeed::comes_and_goes: return "comes and goes: its link breaks again and again";
    case Misdeed::rooms_fail: return "has rooms that fail to boot";
  }
  return "?";
}

// Returns how many misdeeds in a row start a stay.
std::uint32_t Quarantine::most(Misdeed misdeed) {
  switch (misdeed) {
    case Misdeed::silent: return 2;
    case Misdeed::refuses_orders: return most_refusals;
    case Misdeed::comes_and_goes: return most_breaks;
    case Misdeed::rooms_fail:
    case Misdeed::breaks_protocol:
    case Misdeed::refuses_promises:
    case Misdeed::rooms_never_open: return 1;
  }
  return 1;
}

std::optional<Quarantine::Stay> Quarantine::notice(const WorkerId& worker, Misdeed misdeed,
                                                   TimePoint now, Asked about) {
  Record& record = record_of({worker, {}});
  // A misdeed during a stay may be older than the stay, so only a worse misdeed counts.
  if (record.lasts && (keeps_apart(record.stay.misdeed) || !keeps_apart(misdeed))) return {};
  record.forgotten_at = std::max(record.forgotten_at, now + memory);
  const bool again = record.stay.times > 0;
  if (++record.counted[{misdeed, about}] < most(misdeed) && !again) return {};
  record.about = about;
  return begin(record, {worker, {}}, misdeed, now);
}

std::optional<Quarantine::Stay> Quarantine::room_failed(const WorkerId& worker,
                                                        const ModeName& mode, const GroupKey& group,
                                                        TimePoint now) {
  Record& record = record_of({worker, mode});
  if (record.lasts) return {};
  record.forgotten_at = std::max(record.forgotten_at, now + memory);
  record.failed.insert(group);
  const bool again = record.stay.times > 0;
  if (record.failed.size() < most_failures && !again) return {};
  return begin(record, {worker, mode}, Misdeed::rooms_fail, now);
}

Quarantine::Stay Quarantine::begin(Record& record, const Whose& whose, Misdeed misdeed,
                                   TimePoint now) {
  const std::uint32_t doublings = std::min<std::uint32_t>(record.stay.times, 6);
  const Duration most = misdeed == Misdeed::rooms_fail ? longest_failing : longest;
  const Duration time = std::min(most, first * (1 << doublings));
  record.counted.clear();
  record.failed.clear();
  record.lasts = true;
  record.stay = {whose.worker, misdeed, record.stay.times + 1, now + time, whose.mode};
  record.forgotten_at = record.stay.until + std::max(memory, 2 * time);
  return record.stay;
}

void Quarantine::forgive(const Whose& whose, Misdeed misdeed, Asked about) {
  const auto at = records_.find(whose);
  if (at == records_.end() || at->second.lasts) return;
  Record& record = at->second;
  record.counted.erase({misdeed, about});
  record.failed.clear();
  if (record.stay.misdeed == misdeed && record.about == about) record.stay.times = 0;
  if (record.counted.empty() && record.stay.times == 0) records_.erase(at);
}

Quarantine::Record& Quarantine::record_of(const Whose& whose) {
  if (!records_.contains(whose) && records_.size() >= most_workers) {
    records_.erase(
        std::min_element(records_.begin(), records_.end(), [](const auto& left, const auto& right) {
          return left.second.forgotten_at < right.second.forgotten_at;
        }));
  }
  return records_[whose];
}

bool Quarantine::apart(const WorkerId& worker) const {
  const auto at = records_.find({worker, {}});
  return at != records_.end() && at->second.lasts && keeps_apart(at->second.stay.misdeed);
}

bool Quarantine::without_orders(const WorkerId& worker) const {
  const auto at = records_.find({worker, {}});
  return at != records_.end() && at->second.lasts &&
         at->second.stay.misdeed != Misdeed::comes_and_goes;
}

bool Quarantine::comes_and_goes(const WorkerId& worker) const {
  const auto at = records_.find({worker, {}});
  return at != records_.end() && at->second.lasts &&
         at->second.stay.misdeed == Misdeed::comes_and_goes;
}

std::vector<ModeName> Quarantine::modes_without_orders(const WorkerId& worker) const {
  std::vector<ModeName> modes;
  for (auto at = records_.upper_bound({worker, {}});
       at != records_.end() && at->first.worker == worker; ++at) {
    if (at->second.lasts) modes.push_back(at->first.mode);
  }
  return modes;
}

bool Quarantine::on_probation(const WorkerId& worker) const {
  const auto at = records_.find({worker, {}});
  return at != records_.end() && at->second.stay.times > 0 && keeps_apart(at->second.stay.misdeed);
}

std::vector<Quarantine::Stay> Quarantine::stays() const {
  std::vector<Stay> found;
  for (const auto& [whose, record] : records_) {
    if (record.lasts) found.push_back(record.stay);
  }
  return found;
}

TimePoint Quarantine::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [whose, record] : records_) {
    next = std::min(next, record.lasts ? record.stay.until : record.forgotten_at);
  }
  return next;
}

std::vector<Quarantine::Stay> Quarantine::end(TimePoint now) {
  std::vector<Stay> over;
  for (auto& [whose, record] : records_) {
    if (!record.lasts || record.stay.until > now) continue;
    record.lasts = false;
    over.push_back(record.stay);
  }
  std::erase_if(records_, [&](const auto& entry) {
    return !entry.second.lasts && entry.second.forgotten_at <= now;
  });
  return over;
}

}  // namespace fixkeep::master
