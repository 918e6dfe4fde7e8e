#include "master/core/questions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Asking : testing::Test {
  Questions::Number seats(const WorkerId& worker, std::uint32_t wanted) {
    SeatQuestion question;
    question.room = {worker, {}, RoomNumber{1}};
    question.seats = wanted;
    return questions.put({&group, worker, question}, now, second);
  }
  Questions::Number promise(const WorkerId& worker) {
    return questions.put({&group, worker, PromiseQuestion{}}, now, second);
  }
  Questions::Number order(const WorkerId& worker, std::uint32_t spare = 0) {
    OrderQuestion question;
    question.spare = spare;
    return questions.put({&group, worker, question}, now, second);
  }

  const WorkerId w1{"w1"};
  const WorkerId w2{"w2"};
  const TimePoint now{Duration{100}};
  const Duration second = std::chrono::seconds{1};
  Questions questions;
  Group group{HoldOptions{}};
};

TEST_F(Asking, an_answer_is_taken_once_from_who_was_asked_and_as_what_was_asked) {
  const auto number = seats(w1, 3);
  EXPECT_FALSE(questions.take<SeatQuestion>(number, w2));
  EXPECT_FALSE(questions.take<OrderQuestion>(number, w1));
  EXPECT_FALSE(questions.take<SeatQuestion>(number + 1, w1));
  const auto taken = questions.take<SeatQuestion>(number, w1);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->group, &group);
  EXPECT_EQ(taken->about.seats, 3U);
  EXPECT_FALSE(questions.take<SeatQuestion>(number, w1));
}

TEST_F(Asking, a_group_counts_what_is_asked_for_it) {
  EXPECT_TRUE(group.asked.nothing());
  const auto asked = seats(w1, 3);
  (void)seats(w2, 2);
  (void)promise(w1);
  const auto ordered = order(w2);
  EXPECT_EQ(group.asked.seats.size(), 2U);
  EXPECT_EQ(group.asked.promises.size(), 1U);
  EXPECT_EQ(group.asked.orders.size(), 1U);
  EXPECT_TRUE(questions.take<SeatQuestion>(asked, w1));
  EXPECT_EQ(group.asked.seats.size(), 1U);
  EXPECT_TRUE(questions.take<OrderQuestion>(ordered, w2));
  EXPECT_TRUE(group.asked.orders.empty());
  EXPECT_FALSE(group.asked.nothing());
}

TEST_F(Asking, a_worker_that_goes_takes_its_questions_along) {
  (void)seats(w1, 1);
  const auto other = promise(w2);
  (void)order(w1);
  const auto lost = questions.take_all(w1);
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<SeatQuestion>(lost[0].about));
  EXPECT_TRUE(std::holds_alternative<OrderQuestion>(lost[1].about));
  EXPECT_TRUE(group.asked.seats.empty());
  EXPECT_TRUE(questions.take<PromiseQuestion>(other, w2));
  EXPECT_TRUE(group.asked.nothing());
}

TEST_F(Asking, promises_of_an_earlier_round_are_forgotten) {
  const auto before = promise(w1);
  questions.forget_promises(group);
  const auto after = promise(w1);
  EXPECT_FALSE(questions.take<PromiseQuestion>(before, w1));
  EXPECT_TRUE(questions.take<PromiseQuestion>(after, w1));
  EXPECT_TRUE(group.asked.nothing());
}

TEST_F(Asking, a_group_knows_which_rooms_are_asked_for_how_many_seats) {
  const auto asked_rooms = [this] {
    std::vector<std::pair<RoomId, std::uint32_t>> rooms;
    questions.each_asked_room(group, [&](const SeatQuestion& question) {
      rooms.emplace_back(question.room, question.seats);
    });
    return rooms;
  };
  EXPECT_THAT(asked_rooms(), ElementsAre());
  const auto asked = seats(w1, 2);
  (void)seats(w2, 0);
  (void)order(w1, 3);
  (void)promise(w1);
  EXPECT_THAT(asked_rooms(), ElementsAre(Pair(RoomId{w1, {}, RoomNumber{1}}, 2U),
                                         Pair(RoomId{w2, {}, RoomNumber{1}}, 0U)));
  EXPECT_TRUE(questions.take<SeatQuestion>(asked, w1));
  EXPECT_THAT(asked_rooms(), ElementsAre(Pair(RoomId{w2, {}, RoomNumber{1}}, 0U)));
}

TEST_F(Asking, the_oldest_question_is_overdue_first) {
  EXPECT_EQ(questions.next_expiry(), TimePoint::max());
  const auto first = order(w2);
  (void)questions.put({&group, w1, OrderQuestion{}}, now + Duration{1}, second);
  EXPECT_EQ(questions.next_expiry(), now + second);
  EXPECT_FALSE(questions.overdue(now + second - Duration{1}));
  ASSERT_TRUE(questions.overdue(now + second));
  EXPECT_EQ(questions.overdue(now + second)->question->worker, w2);
  EXPECT_TRUE(questions.take<OrderQuestion>(first, w2));
  EXPECT_FALSE(questions.overdue(now + second));
}

// How often the question is overdue before it is lost.
int times_overdue(Questions& questions, TimePoint now, Duration time) {
  for (int times = 1;; ++times) {
    now += time;
    const auto overdue = questions.overdue(now);
    if (!overdue) return -1;
    if (overdue->lost) return times;
    questions.wait_on(overdue->number, now);
  }
}

TEST_F(Asking, a_worker_that_has_answered_nothing_since_is_slow_for_a_while) {
  (void)order(w1);
  EXPECT_EQ(times_overdue(questions, now, second), 4);
}

TEST_F(Asking, a_worker_that_answers_what_was_asked_later_has_dropped_the_earlier_question) {
  (void)order(w1);
  EXPECT_TRUE(questions.take<SeatQuestion>(seats(w1, 1), w1));
  EXPECT_EQ(times_overdue(questions, now, second), 1);
}

TEST_F(Asking, what_another_worker_answers_says_nothing_of_this_one) {
  (void)order(w1);
  EXPECT_TRUE(questions.take<SeatQuestion>(seats(w2, 1), w2));
  EXPECT_EQ(times_overdue(questions, now, second), 4);
}

TEST_F(Asking, what_was_answered_over_an_older_link_says_nothing_of_the_new_one) {
  const auto before = order(w1);
  const auto later = seats(w1, 1);
  EXPECT_TRUE(questions.take<SeatQuestion>(later, w1));
  EXPECT_EQ(questions.take_all(w1).size(), 1U);
  EXPECT_FALSE(questions.take<OrderQuestion>(before, w1));
  (void)order(w1);
  EXPECT_EQ(times_overdue(questions, now, second), 4);
}

TEST_F(Asking, an_answer_is_not_overdue_for_the_time_in_which_the_master_was_held_up) {
  (void)order(w1);
  questions.held_up(3 * second);
  EXPECT_FALSE(questions.overdue(now + 3 * second));
  EXPECT_EQ(questions.next_expiry(), now + 4 * second);
  EXPECT_TRUE(questions.overdue(now + 4 * second));
}

}  // namespace
}  // namespace fixkeep::master
