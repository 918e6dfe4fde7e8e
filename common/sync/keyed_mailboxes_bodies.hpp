// The functions of KeyedMailboxes; see keyed_mailboxes.hpp, which includes this file.
// Thread rule, bounds and errors: as in keyed_mailboxes.hpp.
#pragma once

#include <algorithm>

#include "common/sync/keyed_mailboxes.hpp"

namespace fixkeep::sync {

template <class Key, class Hash>
Result<WorkNumber> KeyedMailboxes<Key, Hash>::put(const Key& key, TimePoint at,
                                                  MailboxActions& out) {
  const auto now = advance(at);
  expire(now, out);
  if (stopping_) return make_error_code(Errc::stopping);
  Box& box = box_of(key);
  // The bounds apply to waiting work. Work that starts immediately does not wait, so it runs even
  // with bounds of zero.
  if (box.taken && box.queue.size() >= options_.waiting_per_key) {
    return make_error_code(Errc::mailbox_full);
  }
  if (box.taken && waiting_.size() >= options_.waiting) {
    return make_error_code(Errc::all_mailboxes_full);
  }
  if (!box.taken) idle_.erase(box.idle_at);
  waiting_.push_back({++last_, &box, Place::waiting, later(now, options_.wait_timeout)});
  const auto work = std::prev(waiting_.end());
  works_.emplace(work->number, work);
  box.queue.push_back(work);
  if (!box.taken) pass_on(box, now, out);
  return last_;
}

template <class Key, class Hash>
Ending KeyedMailboxes<Key, Hash>::end(WorkNumber number, TimePoint at, MailboxActions& out) {
  const auto now = advance(at);
  auto found = works_.find(number);
  const bool started = found != works_.end() && found->second->place != Place::waiting;
  expire(now, out);
  // `started` is from before expire(), which may have started this work just now. Such work was not
  // running when end() was called.
  if (!started || (found = works_.find(number)) == works_.end()) return Ending::unknown;
  const auto work = found->second;
  const bool in_time = work->place == Place::running;
  Box& box = *work->box;
  forget(work, in_time ? running_ : overrunning_);
  pass_on(box, now, out);
  return in_time ? Ending::in_time : Ending::late;
}

template <class Key, class Hash>
TimePoint KeyedMailboxes<Key, Hash>::next_tick() const {
  auto next = TimePoint::max();
  for (const auto* list : {&waiting_, &running_, &overrunning_}) {
    if (!list->empty()) next = std::min(next, list->front().until);
  }
  if (!idle_.empty()) next = std::min(next, idle_.front()->idle_until);
  return next;
}

template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::tick(TimePoint at, MailboxActions& out) {
  const auto now = advance(at);
  expire(now, out);
  sweep(now);
}

template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::stop(TimePoint at, MailboxActions& out) {
  const auto now = advance(at);
  expire(now, out);
  stopping_ = true;
  while (!waiting_.empty()) {
    const auto work = waiting_.begin();
    out.push_back({Turn::refused, work->number});
    work->box->queue.clear();  // all waiting work is refused
    forget(work, waiting_);
  }
}

template <class Key, class Hash>
auto KeyedMailboxes<Key, Hash>::box_of(const Key& key) -> Box& {
  const auto [at, made] = boxes_.try_emplace(key);
  Box& box = at->second;
  if (made) {
    box.key = &at->first;  // stable until the mailbox is swept
    box.idle_until = later(now_, options_.idle);
    box.idle_at = idle_.insert(idle_.end(), &box);
  }
  return box;
}

// The key is free: starts its next work or marks the mailbox as empty.
template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::pass_on(Box& box, TimePoint now, MailboxActions& out) {
  if (box.queue.empty()) {
    box.taken = false;
    box.idle_until = later(now, options_.idle);
    box.idle_at = idle_.insert(idle_.end(), &box);
    return;
  }
  const auto work = box.queue.front();
  box.queue.pop_front();
  box.taken = true;
  work->place = Place::running;
  work->until = later(now, options_.lease_timeout);
  running_.splice(running_.end(), waiting_, work);
  out.push_back({Turn::start, work->number});
}

template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::forget(WorkAt work, Works& list) {
  works_.erase(work->number);
  list.erase(work);
}

// Waits expire first: if turn and wait_timeout coincide, the work gets no turn.
template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::expire(TimePoint now, MailboxActions& out) {
  while (!waiting_.empty() && waiting_.front().until <= now) {
    const auto work = waiting_.begin();
    auto& queue = work->box->queue;
    FIXKEEP_ASSERT(!queue.empty() && queue.front() == work, "the oldest is first in its mailbox");
    queue.pop_front();
    out.push_back({Turn::wait_timed_out, work->number});
    forget(work, waiting_);
  }
  while (!running_.empty() && running_.front().until <= now) {
    const auto work = running_.begin();
    work->place = Place::overrunning;
    // Counts from the end of the lease, not from the tick: a late tick adds no time.
    work->until = later(work->until, options_.overrun);
    overrunning_.splice(overrunning_.end(), running_, work);
    out.push_back({Turn::lease_lapsed, work->number});
  }
  while (!overrunning_.empty() && overrunning_.front().until <= now) {
    const auto work = overrunning_.begin();
    Box& box = *work->box;
    forget(work, overrunning_);
    pass_on(box, now, out);
  }
}

template <class Key, class Hash>
void KeyedMailboxes<Key, Hash>::sweep(TimePoint now) {
  while (!idle_.empty() && idle_.front()->idle_until <= now) {
    Box& box = *idle_.front();
    FIXKEEP_ASSERT(!box.taken && box.queue.empty(), "only empty mailboxes are swept");
    idle_.pop_front();
    boxes_.erase(boxes_.find(*box.key));
  }
}

}  // namespace fixkeep::sync
