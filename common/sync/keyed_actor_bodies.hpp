// The functions of KeyedActor; see keyed_actor.hpp, which includes this file.
// Thread rule, bounds and errors: as in keyed_actor.hpp.
#pragma once

#include "common/sync/keyed_actor.hpp"

namespace fixkeep::sync {

template <class Key, class Hash>
Result<> KeyedActor<Key, Hash>::Core::run(const Key& key, Body body, Done done) {
  MailboxActions actions;
  Errands errands;
  boost::system::error_code refused;
  {
    const std::lock_guard guard{mutex_};
    const auto put = mailboxes_.put(key, options_.now(), actions);
    if (put) {
      works_.emplace(*put, Work{std::move(body), std::move(done), {}});
    } else {
      refused = put.error();
    }
    errands = collect(actions);
  }
  perform(std::move(errands));
  if (refused) return refused;
  return {};
}

template <class Key, class Hash>
void KeyedActor<Key, Hash>::Core::tick() {
  MailboxActions actions;
  Errands errands;
  {
    const std::lock_guard guard{mutex_};
    mailboxes_.tick(options_.now(), actions);
    errands = collect(actions);
  }
  perform(std::move(errands));
}

template <class Key, class Hash>
void KeyedActor<Key, Hash>::Core::stop() {
  MailboxActions actions;
  Errands errands;
  {
    const std::lock_guard guard{mutex_};
    mailboxes_.stop(options_.now(), actions);
    errands = collect(actions);
  }
  perform(std::move(errands));
}

template <class Key, class Hash>
bool KeyedActor<Key, Hash>::Core::end(WorkNumber number, WorkOutcome outcome) {
  MailboxActions actions;
  Errands errands;
  Done done;
  bool in_time = false;
  {
    const std::lock_guard guard{mutex_};
    in_time = mailboxes_.end(number, options_.now(), actions) == Ending::in_time;
    errands = collect(actions);
    if (auto ended = works_.extract(number); in_time && !ended.empty()) {
      done = std::move(ended.mapped().done);
    }
  }
  // Call `done` before the next work starts, so that the answers for one key arrive in the order of
  // its work.
  if (in_time) {
    if (done) done(std::move(outcome));
  } else if (options_.late) {
    options_.late(number, std::move(outcome));
  }
  perform(std::move(errands));
  return in_time;
}

template <class Key, class Hash>
auto KeyedActor<Key, Hash>::Core::collect(const MailboxActions& actions) -> Errands {
  Errands errands;
  errands.reserve(actions.size());
  for (const auto& action : actions) {
    const auto at = works_.find(action.work);
    FIXKEEP_ASSERT(at != works_.end(), "the mailboxes and the actor know the same work");
    auto& work = at->second;
    Errand errand{action.turn, action.work, {}, {}, {}};
    switch (action.turn) {
      case Turn::start:
        errand.body = std::move(work.body);
        errand.token = std::make_shared<WorkToken::State>(this->weak_from_this(), action.work);
        work.token = errand.token;
        break;
      case Turn::lease_lapsed:
        errand.done = std::move(work.done);
        errand.token = work.token.lock();
        // Tell the late body that it has lost its turn, before any caller hears of this.
        if (errand.token) errand.token->lose();
        works_.erase(at);
        break;
      case Turn::wait_timed_out:
      case Turn::refused:
        errand.done = std::move(work.done);
        errand.body = std::move(work.body);  // destroyed without the mutex
        works_.erase(at);
        break;
    }
    errands.push_back(std::move(errand));
  }
  return errands;
}

template <class Key, class Hash>
void KeyedActor<Key, Hash>::Core::perform(Errands&& errands) {
  const auto self = this->shared_from_this();  // `done` may drop the actor
  for (auto& errand : errands) {
    switch (errand.turn) {
      case Turn::start: start(errand); break;
      case Turn::lease_lapsed: errand.done({Errc::actor_lease_timeout, {}}); break;
      case Turn::wait_timed_out: errand.done({Errc::actor_wait_timeout, {}}); break;
      case Turn::refused: errand.done({Errc::stopping, {}}); break;
    }
  }
}

template <class Key, class Hash>
void KeyedActor<Key, Hash>::Core::start(Errand& errand) {
  auto token = std::move(errand.token);
  const auto run = [token, body = std::move(errand.body)] {
    try {
      body(WorkToken{token});
    } catch (...) { token->complete({Errc::actor_work_threw, std::current_exception()}); }
  };
  try {
    options_.executor(run);
  } catch (...) { token->complete({Errc::actor_work_threw, std::current_exception()}); }
}

}  // namespace fixkeep::sync
