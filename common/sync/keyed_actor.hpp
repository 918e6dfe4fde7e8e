// The keyed actor: for each key one body of work at a time from any thread.
//
//   Result<> put = actor.run(key, [](WorkToken token) { …; token.complete(); }, done);
//
// Bodies of one key run one after another in the order of run(). Bodies of different keys run at
// the same time as far as the executor has threads. KeyedMailboxes (keyed_mailboxes.hpp) has the
// rules of turns, limits and late bodies. This adds the mutex, the bodies and the answers.
//
// A body may return and go on asynchronously: its turn lasts until its token is completed. If it
// has lost its turn (token.held() is false), it should have no further effect. number() grows over
// all work: receivers of its output can refuse lower numbers.
//
// `done` is called exactly once for each run() that succeeded, with the outcome of the work:
//   nothing wrong          the body completed its token without an error, in time
//   the body's own error   it completed with one, in time
//   actor_work_threw       the body threw before it completed; `thrown` has the exception
//   actor_work_abandoned   every copy of the token was dropped, or the executor dropped the body
//   actor_wait_timeout     its turn did not come in time; the body never ran
//   actor_lease_timeout    told at once, not when the body ends; what the body says then goes to
//                          `late` of the options and to complete()'s result, and nowhere else
//   stopping               stop() came before its turn
// It is called without a lock, on the thread that ended the work: a caller of complete(), run(),
// tick() or stop(), or an executor's thread. It must not throw.
//
// Time comes from `now` of the options. Timeouts take effect in run(), complete() and tick(). The
// owner of the actor calls tick() at next_tick() or now and then: limits then last that much
// longer. With a queueing executor and a clock that stands still everything is deterministic.
//
// Assumes: the executor runs work later but never inside the call (post, not dispatch); it may drop
// it. Thread rule: any thread. The mutex is never held while a body or `done` runs: the wait for it
// is a few hundred instructions. Tokens may outlive the actor. Bounds: MailboxOptions.
// Errors of run(): mailbox_full, all_mailboxes_full, stopping; `done` is then not called.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/sync/keyed_mailboxes.hpp"
#include "common/sync/work_token.hpp"

namespace fixkeep::sync {

struct KeyedActorOptions {
  MailboxOptions mailboxes;
  std::function<TimePoint()> now;                       // called from any thread
  std::function<void(std::function<void()>)> executor;  // called from any thread
  std::function<void(WorkNumber, WorkOutcome)> late =
      {};  // an end that came too late; may be empty
};

template <class Key, class Hash = std::hash<Key>>
class KeyedActor {
 public:
  using Body = std::function<void(WorkToken)>;
  using Done = std::function<void(WorkOutcome)>;

  explicit KeyedActor(KeyedActorOptions options)
      : core_(std::make_shared<Core>(std::move(options))) {}

  [[nodiscard]] Result<> run(const Key& key, Body body, Done done) {
    return core_->run(key, std::move(body), std::move(done));
  }
  void tick() { core_->tick(); }
  [[nodiscard]] TimePoint next_tick() const { return core_->next_tick(); }
  void stop() { core_->stop(); }

  [[nodiscard]] std::size_t mailboxes() const { return core_->mailboxes(); }
  [[nodiscard]] std::size_t waiting() const { return core_->waiting(); }

 private:
  // Shared with the tokens: a token may be completed when the actor has gone.
  class Core : public WorkEnds, public std::enable_shared_from_this<Core> {
   public:
    explicit Core(KeyedActorOptions options)
        : options_(std::move(options)), mailboxes_(options_.mailboxes) {}

    Result<> run(const Key& key, Body body, Done done);
    void tick();
    void stop();
    bool end(WorkNumber work, WorkOutcome outcome) override;
    [[nodiscard]] TimePoint next_tick() const {
      const std::lock_guard guard{mutex_};
      return mailboxes_.next_tick();
    }
    [[nodiscard]] std::size_t mailboxes() const {
      const std::lock_guard guard{mutex_};
      return mailboxes_.mailboxes();
    }
    [[nodiscard]] std::size_t waiting() const {
      const std::lock_guard guard{mutex_};
      return mailboxes_.waiting();
    }

   private:
    struct Work {
      Body body;                              // body until it starts
      Done done;                              // callback until it was told
      std::weak_ptr<WorkToken::State> token;  // token from its start
    };
    // The mailboxes decided this; it is taken out from under the mutex to be done without it.
    struct Errand {
      Turn turn = Turn::start;
      WorkNumber work = 0;
      Body body;
      Done done;
      std::shared_ptr<WorkToken::State> token;
    };
    using Errands = std::vector<Errand>;
    // REQUIRES: the mutex is held.
    [[nodiscard]] Errands collect(const MailboxActions& actions);
    void perform(Errands&& errands);
    void start(Errand& errand);

    const KeyedActorOptions options_;
    mutable std::mutex mutex_;
    KeyedMailboxes<Key, Hash> mailboxes_;
    std::unordered_map<WorkNumber, Work> works_;
  };

  std::shared_ptr<Core> core_;
};

}  // namespace fixkeep::sync

#include "common/sync/keyed_actor_bodies.hpp"
