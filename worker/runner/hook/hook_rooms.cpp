#include "worker/runner/hook/hook_rooms.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker {
namespace {

constexpr int lists_without = 2;
constexpr auto closed_early = "it was closed before it began";

}  // namespace

// --- requests from the worker --------------------------------------------------------------------

void HookRooms::start(RoomNumber room, const std::string& object, const std::string& list,
                      TimePoint now, HookActions& out) {
  if (entries_.contains(object)) {
    out.emplace_back(HookEnded{room,
                               {.kind = GameEnd::Kind::not_started,
                                .blameless = true,
                                .how = "an earlier " + object + " has not ended yet"}});
    return;
  }
  Entry& entry = add(object, list, Phase::fresh);
  entry.room = room;
  look_for(entry);
  go_on(now, out);
}

void HookRooms::adopt(RoomNumber room, const std::string& object, const std::string& list,
                      std::optional<wire::RoomPlace> place, TimePoint now, HookActions& out) {
  Entry& entry = add(object, list, Phase::running);
  entry.room = room;
  if (place) {
    begin(entry, *std::move(place), false, out);
  } else {
    entry.why = "its worker ended before its start had answered";
    end_soon(entry, now);
  }
  go_on(now, out);
}

void HookRooms::end_other(const std::string& object, const std::string& list, TimePoint now,
                          HookActions& out) {
  end_soon(add(object, list, Phase::ending), now);
  go_on(now, out);
}

void HookRooms::end(const std::string& object, bool kill, TimePoint now, HookActions& out) {
  const auto found = entries_.find(object);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  switch (entry.phase) {
    case Phase::fresh:
    case Phase::queued:
      std::erase(queue_, object);
      tell_end(entry, GameEnd::Kind::not_started, closed_early, out);
      remove(object, out);
      break;
    case Phase::starting: entry.unwanted = true; break;
    case Phase::running:
      if (kill) {
        end_soon(entry, now);
      } else {
        entry.asked = true;
        entry.unwanted = true;
        entry.due = now;
      }
      break;
    case Phase::ending:
    case Phase::given_up: break;
  }
  go_on(now, out);
}

// --- answers of commands -------------------------------------------------------------------------

void HookRooms::started(const std::string& object, const HookAnswer& answer, TimePoint now,
                        HookActions& out) {
  ++turn_;
  --busy_;
  Entry& entry = entries_.at(object);
  entry.busy = false;
  auto place = answer.problem.empty() ? parse_place(first_line(answer.output)) : answer.problem;
  if (auto* const wrong = std::get_if<std::string>(&place)) {
    entry.why = std::move(*wrong);
    end_soon(entry, now);
  } else {
    out.emplace_back(RecordObject{object, std::get<wire::RoomPlace>(place)});
    entry.phase = Phase::running;
    entry.since = turn_;
    if (entry.unwanted) {
      end_soon(entry, now);
    } else {
      begin(entry, std::get<wire::RoomPlace>(std::move(place)), true, out);
    }
  }
  go_on(now, out);
}

void HookRooms::stopped(const std::string& object, const HookAnswer& answer, TimePoint now,
                        HookActions& out) {
  ++turn_;
  --busy_;
  const auto found = entries_.find(object);
  if (found != entries_.end()) {
    Entry& entry = found->second;
    entry.busy = false;
    if (entry.phase == Phase::ending) {
      look_for(entry);
    } else if (!answer.problem.empty()) {
      entry.asked = true;
      pause(entry, now);
    }
  }
  go_on(now, out);
}

void HookRooms::listed(const std::string& list, const HookAnswer& answer, TimePoint now,
                       HookActions& out) {
  ++turn_;
  Look& look = looks_[list];
  const auto began = std::exchange(look.began, std::nullopt).value_or(0);
  look.last = now;
  const auto names = parse_names(answer.output);
  std::vector<std::string> told;
  for (const auto& [object, entry] : entries_) {
    if (entry.list == list && entry.since <= began) told.push_back(object);
  }
  if (answer.problem.empty()) {
    look.pause = Duration{0};
    look.due = now;
    for (const std::string& object : told) show(object, names.contains(object), now, out);
  } else {
    look.pause = std::clamp(look.pause * 2, options_.first_pause, options_.longest_pause);
    look.due = now + look.pause;
    for (const std::string& object : told) {
      Entry& entry = entries_.at(object);
      if (entry.phase != Phase::fresh) continue;  // other objects may already exist
      tell_end(entry, GameEnd::Kind::not_started, "cannot list rooms: " + answer.problem, out);
      remove(object, out);
    }
  }
  go_on(now, out);
}

void HookRooms::show(const std::string& object, bool there, TimePoint now, HookActions& out) {
  Entry& entry = entries_.at(object);
  const bool wanted = std::exchange(entry.wants_list, false);
  switch (entry.phase) {
    case Phase::fresh:
      if (there) {
        tell_end(entry, GameEnd::Kind::not_started,
                 "there is a " + object + " already, and it is not ours", out);
        remove(object, out);
      } else {
        entry.phase = Phase::queued;
        queue_.push_back(object);
      }
      return;
    case Phase::running:
      entry.missed = there ? 0 : entry.missed + 1;
      if (entry.missed < (entry.unwanted ? 1 : lists_without)) return;
      tell_end(entry, GameEnd::Kind::unknown, "it is not listed any more", out);
      return remove(object, out);
    case Phase::ending:
      if (there && wanted) pause(entry, now);
      if (there) return;
      if (entry.begun) {
        tell_end(entry, GameEnd::Kind::unknown, "it was stopped", out);
        return remove(object, out);
      }
      tell_end(entry, GameEnd::Kind::not_started, entry.why.empty() ? closed_early : entry.why,
               out);
      return give_up(object, now, out);
    case Phase::given_up:
      if (there) end_soon(entry, now);
      return;
    case Phase::queued:
    case Phase::starting: return;
  }
}

// --- the parts -----------------------------------------------------------------------------------

HookRooms::Entry& HookRooms::add(const std::string& object, const std::string& list, Phase phase) {
  looks_.try_emplace(list);
  Entry& entry = entries_[object];
  entry.list = list;
  entry.phase = phase;
  entry.since = ++turn_;
  return entry;
}

void HookRooms::begin(Entry& entry, wire::RoomPlace place, bool now, HookActions& out) {
  entry.begun = true;
  out.emplace_back(HookPlaced{*entry.room, std::move(place), now});
}

void HookRooms::remove(const std::string& object, HookActions& out) {
  out.emplace_back(ForgetObject{object});
  entries_.erase(object);
}

void HookRooms::give_up(const std::string& object, TimePoint now, HookActions& out) {
  Entry& entry = entries_.at(object);
  entry.phase = Phase::given_up;
  entry.forget_at = now + options_.remembered;
  given_up_.push_back(object);
  forget_old(now, out);
}

void HookRooms::tell_end(Entry& entry, GameEnd::Kind kind, const std::string& how,
                         HookActions& out) {
  if (entry.room) out.emplace_back(HookEnded{*entry.room, {.kind = kind, .how = how}});
  entry.room.reset();
}

void HookRooms::end_soon(Entry& entry, TimePoint now) const {
  entry.phase = Phase::ending;
  entry.since = turn_;
  entry.wants_list = false;
  entry.due = now;
  entry.pause = Duration{0};
}

void HookRooms::look_for(Entry& entry) const {
  entry.since = turn_;
  entry.wants_list = true;
}

void HookRooms::pause(Entry& entry, TimePoint now) const {
  entry.pause = std::clamp(entry.pause * 2, options_.first_pause, options_.longest_pause);
  entry.due = now + entry.pause;
}

void HookRooms::go_on(TimePoint now, HookActions& out) {
  forget_old(now, out);
  run_commands(now, out);
  run_lists(now, out);
}

void HookRooms::forget_old(TimePoint now, HookActions& out) {
  while (!given_up_.empty()) {
    const auto oldest = entries_.find(given_up_.front());
    const bool is_one = oldest != entries_.end() && oldest->second.phase == Phase::given_up;
    const bool due = is_one && oldest->second.forget_at <= now;
    if (is_one && !due && given_up_.size() <= options_.most_remembered) return;
    if (is_one) remove(oldest->first, out);
    given_up_.pop_front();
  }
}

bool HookRooms::wants_stop(const Entry& entry) {
  if (entry.busy) return false;
  return (entry.phase == Phase::ending && !entry.wants_list) ||
         (entry.phase == Phase::running && entry.asked);
}

void HookRooms::run_commands(TimePoint now, HookActions& out) {
  for (auto& [object, entry] : entries_) {
    if (busy_ >= options_.at_once) return;
    if (!wants_stop(entry) || entry.due > now) continue;
    entry.busy = true;
    entry.asked = false;
    ++busy_;
    out.emplace_back(RunStop{object, entry.phase == Phase::ending});
  }
  for (; busy_ < options_.at_once && !queue_.empty(); queue_.pop_front()) {
    Entry& entry = entries_.at(queue_.front());
    entry.phase = Phase::starting;
    entry.busy = true;
    ++busy_;
    out.emplace_back(RecordObject{queue_.front(), std::nullopt});
    out.emplace_back(RunStart{queue_.front()});
  }
}

void HookRooms::run_lists(TimePoint now, HookActions& out) {
  for (auto& [list, look] : looks_) {
    if (next_look(list, look) > now) continue;
    look.began = turn_;
    out.emplace_back(RunList{list});
  }
}

TimePoint HookRooms::next_look(const std::string& list, const Look& look) const {
  if (look.began) return TimePoint::max();
  Duration every = Duration::max();
  for (const auto& [object, entry] : entries_) {
    if (entry.list != list) continue;
    if (entry.wants_list) return look.due;
    if (entry.phase == Phase::running && entry.unwanted) {
      every = std::min(every, options_.look_for_the_end_every);
    } else if (entry.phase == Phase::running || entry.phase == Phase::given_up) {
      every = std::min(every, options_.look_every);
    }
  }
  return every == Duration::max() ? TimePoint::max() : std::max(look.due, look.last + every);
}

TimePoint HookRooms::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [list, look] : looks_) next = std::min(next, next_look(list, look));
  for (const auto& [object, entry] : entries_) {
    if (entry.phase == Phase::given_up) next = std::min(next, entry.forget_at);
    if (wants_stop(entry) && busy_ < options_.at_once) next = std::min(next, entry.due);
  }
  return next;
}

std::size_t HookRooms::waiting() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const auto& each) {
        return each.second.phase == Phase::fresh || each.second.phase == Phase::queued;
      }));
}

bool HookRooms::any() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const auto& each) { return each.second.phase != Phase::given_up; });
}

}  // namespace fixkeep::worker
