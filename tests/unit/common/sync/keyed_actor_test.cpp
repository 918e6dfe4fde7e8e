#include "common/sync/keyed_actor.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace fixkeep::sync {
namespace {

using std::chrono::seconds;

// An executor that runs nothing before it is told to, and a clock that stands still.
class KeyedActorTest : public ::testing::Test {
 protected:
  using Actor = KeyedActor<std::string>;

  KeyedActorTest() {
    KeyedActorOptions options;
    options.mailboxes = {.wait_timeout = seconds{10},
                         .lease_timeout = seconds{5},
                         .overrun = seconds{3},
                         .waiting_per_key = 3,
                         .waiting = 4,
                         .idle = seconds{60}};
    options.now = [this] { return now_; };
    options.executor = [this](std::function<void()> work) { queue_.push_back(std::move(work)); };
    options.late = [this](WorkNumber, WorkOutcome outcome) { late_.push_back(outcome.error); };
    actor_.emplace(std::move(options));
  }

  void put(const std::string& key, Actor::Body body, const std::string& name) {
    ASSERT_TRUE(actor_->run(key, std::move(body), [this, name](WorkOutcome outcome) {
      said_ += name + "=" + (outcome.error ? outcome.error.message() : "done") + ";";
      thrown_ = outcome.thrown;
    }));
  }
  void run_queue() {
    while (!queue_.empty()) {
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      work();
    }
  }
  std::string said() { return std::exchange(said_, {}); }
  void pass(Duration time) { now_ += time; }

  TimePoint now_{seconds{1000}};
  std::deque<std::function<void()>> queue_;
  std::vector<boost::system::error_code> late_;
  std::string said_;
  std::exception_ptr thrown_;
  std::optional<Actor> actor_;
};

const auto completes = [](WorkToken token) { token.complete(); };

TEST_F(KeyedActorTest, bodies_of_one_key_run_one_after_another) {
  std::optional<WorkToken> kept;
  put(
      "a", [&](WorkToken token) { kept = token; }, "first");
  put("a", completes, "second");
  put("b", completes, "other");
  run_queue();
  EXPECT_EQ(said(), "other=done;");
  EXPECT_TRUE(kept->held());
  EXPECT_TRUE(kept->complete());
  EXPECT_FALSE(kept->held());
  EXPECT_EQ(said(), "first=done;");
  run_queue();
  EXPECT_EQ(said(), "second=done;");
  EXPECT_FALSE(kept->complete()) << "once";
}

TEST_F(KeyedActorTest, the_bodys_error_reaches_its_caller) {
  put(
      "a", [](WorkToken token) { token.complete(Errc::token_forged); }, "work");
  run_queue();
  EXPECT_EQ(said(), "work=the seat token was not signed by this cluster;");
}

TEST_F(KeyedActorTest, the_bodys_exception_reaches_its_caller_and_the_next_one_runs) {
  put(
      "a", [](WorkToken) { throw std::runtime_error{"no more"}; }, "first");
  put("a", completes, "second");
  queue_.front()();
  EXPECT_EQ(said(), "first=the work threw an exception;");
  ASSERT_TRUE(thrown_);
  EXPECT_THROW(std::rethrow_exception(thrown_), std::runtime_error);
  queue_.pop_front();
  run_queue();
  EXPECT_EQ(said(), "second=done;");
}

TEST_F(KeyedActorTest, an_exception_after_completing_changes_nothing) {
  put(
      "a",
      [](WorkToken token) {
        token.complete();
        throw std::runtime_error{"too late"};
      },
      "work");
  run_queue();
  EXPECT_EQ(said(), "work=done;");
}

TEST_F(KeyedActorTest, a_token_that_is_dropped_is_an_error) {
  put(
      "a", [](WorkToken) {}, "first");
  put("a", completes, "second");
  run_queue();
  EXPECT_EQ(said(), "first=the work was dropped without an answer;second=done;");
}

TEST_F(KeyedActorTest, a_body_that_the_executor_drops_is_an_error) {
  put("a", completes, "work");
  queue_.clear();
  EXPECT_EQ(said(), "work=the work was dropped without an answer;");
}

TEST_F(KeyedActorTest, a_wait_that_lasts_too_long_never_runs) {
  std::optional<WorkToken> kept;
  bool ran = false;
  put(
      "a", [&](WorkToken token) { kept = token; }, "first");
  run_queue();
  pass(seconds{2});
  put(
      "a", [&](WorkToken) { ran = true; }, "second");
  pass(seconds{2});
  EXPECT_TRUE(kept->complete());
  queue_.clear();  // the executor loses the second one
  said();
  put(
      "a", [&](WorkToken token) { kept = token; }, "third");
  put(
      "a", [&](WorkToken) { ran = true; }, "fourth");
  run_queue();
  pass(seconds{10});
  actor_->tick();
  EXPECT_EQ(said(),
            "fourth=the work waited for its turn for too long;"
            "third=the work ran for too long and lost its turn;");
  run_queue();
  EXPECT_FALSE(ran);
}

TEST_F(KeyedActorTest, a_holder_learns_that_it_lost_and_its_late_end_is_harmless) {
  std::optional<WorkToken> kept;
  put(
      "a", [&](WorkToken token) { kept = token; }, "first");
  run_queue();
  pass(seconds{4});
  put("a", completes, "second");
  EXPECT_EQ(actor_->next_tick(), TimePoint{seconds{1005}});
  pass(seconds{1});
  actor_->tick();
  EXPECT_EQ(said(), "first=the work ran for too long and lost its turn;");
  EXPECT_FALSE(kept->held());
  run_queue();
  EXPECT_EQ(said(), "") << "the next one does not run before it has ended";
  pass(seconds{1});
  EXPECT_FALSE(kept->complete());
  ASSERT_EQ(late_.size(), 1U);
  EXPECT_EQ(said(), "") << "the caller is not told twice";
  run_queue();
  EXPECT_EQ(said(), "second=done;");
}

TEST_F(KeyedActorTest, a_stuck_holder_is_passed_over_and_cannot_end_the_next_turn) {
  std::optional<WorkToken> stuck;
  std::optional<WorkToken> next;
  put(
      "a", [&](WorkToken token) { stuck = token; }, "stuck");
  run_queue();
  put(
      "a", [&](WorkToken token) { next = token; }, "next");
  pass(seconds{8});
  actor_->tick();
  run_queue();
  ASSERT_TRUE(next);
  EXPECT_GT(next->number(), stuck->number()) << "a fencing token";
  EXPECT_FALSE(stuck->complete(Errc::token_forged));
  EXPECT_TRUE(next->held());
  EXPECT_TRUE(next->complete());
  ASSERT_EQ(late_.size(), 1U);
  EXPECT_EQ(late_.front(), Errc::token_forged);
  EXPECT_EQ(said(), "stuck=the work ran for too long and lost its turn;next=done;");
}

TEST_F(KeyedActorTest, full_mailboxes_refuse_and_never_answer) {
  for (int i = 0; i < 4; ++i) put("a", completes, "a");
  const auto refused =
      actor_->run("a", completes, [this](WorkOutcome) { said_ += "must not be called"; });
  EXPECT_EQ(refused.error(), Errc::mailbox_full);
  put("b", completes, "b");
  put("b", completes, "b");
  EXPECT_EQ(actor_->run("b", completes, {}).error(), Errc::all_mailboxes_full);
  run_queue();
  EXPECT_EQ(said(), "a=done;b=done;a=done;b=done;a=done;a=done;");
}

TEST_F(KeyedActorTest, stop_answers_what_waits) {
  std::optional<WorkToken> kept;
  put(
      "a", [&](WorkToken token) { kept = token; }, "first");
  put("a", completes, "second");
  run_queue();
  actor_->stop();
  EXPECT_EQ(said(), "second=shutting down;");
  EXPECT_EQ(actor_->run("a", completes, {}).error(), Errc::stopping);
  EXPECT_TRUE(kept->complete());
  EXPECT_EQ(said(), "first=done;");
}

TEST_F(KeyedActorTest, a_token_may_outlive_the_actor) {
  std::optional<WorkToken> kept;
  put(
      "a", [&](WorkToken token) { kept = token; }, "first");
  run_queue();
  actor_.reset();
  EXPECT_FALSE(kept->complete());
  EXPECT_EQ(said(), "");
}

TEST_F(KeyedActorTest, an_answer_may_ask_for_more) {
  ASSERT_TRUE(actor_->run("a", completes, [&](WorkOutcome) { put("a", completes, "again"); }));
  run_queue();
  EXPECT_EQ(said(), "again=done;");
}

TEST_F(KeyedActorTest, empty_mailboxes_are_swept_by_the_tick) {
  put("a", completes, "work");
  run_queue();
  EXPECT_EQ(actor_->mailboxes(), 1U);
  pass(seconds{60});
  actor_->tick();
  EXPECT_EQ(actor_->mailboxes(), 0U);
}

}  // namespace
}  // namespace fixkeep::sync
