// The keyed actor runs one body of work at a time for each key. Any thread may call it.
//
//   Result<> put = actor.run(key, [](WorkToken token) { …; token.complete(); }, done);
//
// Bodies of one key run one after another in the order of the calls of run(). Bodies of different
// keys run in parallel if the executor has enough threads. KeyedMailboxes (keyed_mailboxes.hpp)
// contains the rules for turns, limits and late bodies. KeyedActor adds the mutex, the bodies and
// the answers.
//
// A body may return and continue asynchronously: its turn lasts until its token is completed. A
// body that has lost its turn (token.held() is false) should have no further effect. Later calls of
// run() get higher numbers (token.number()), also across keys. A receiver of a body's output can
// therefore refuse lower numbers.
//
// `done` is called exactly one time for each successful run(), with the outcome of the work:
//   no error               the body completed its token without an error, in time
//   the body's own error   the body completed its token with this error, in time
//   actor_work_threw       the body threw before completion; `thrown` is the exception
//   actor_work_abandoned   all copies of the token, or the body, were destroyed
//   actor_wait_timeout     the turn did not come in time; the body never ran
//   actor_lease_timeout    reported immediately, before the body ends; the body's later outcome
//                          goes only to `late` of the options and to the result of complete()
//   stopping               stop() was called before the turn
// `done` is called without a lock, on the thread that ended the work: a caller of complete(),
// run(), tick() or stop(), or an executor's thread. `done` must not throw.
//
// Time comes from `now` of the options. Timeouts take effect in run(), complete(), tick() and
// stop(). The owner of the actor calls tick() at next_tick(). If tick() is called later, the limits
// last longer. With a queueing executor and a stopped clock everything is deterministic.
//
// Assumes: the executor returns before it runs the work (post, not dispatch). The executor may drop
// the work. Thread rule: any thread. The mutex is never held while a body or `done` runs, so a wait
// for the mutex takes a few hundred instructions. Tokens may outlive the actor. Bounds:
// MailboxOptions. Errors of run(): mailbox_full, all_mailboxes_full, stopping; `done` is then not
// called.
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
  std::function<TimePoint()> now;                          // called from any thread
  std::function<void(std::function<void()>)> executor;     // called from any thread
  std::function<void(WorkNumber, WorkOutcome)> late = {};  // called for a late end; may be empty
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
  // Shared with the tokens: a token may be completed after the actor's destruction.
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
      Body body;                              // empty after the start
      Done done;                              // empty after the call
      std::weak_ptr<WorkToken::State> token;  // set at the start
    };
    // An action of the mailboxes. The action is collected under the mutex, and executed after the
    // unlock.
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
