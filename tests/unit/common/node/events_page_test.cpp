#include "common/node/events_page.hpp"

#include <gtest/gtest.h>

namespace fixkeep::node {
namespace {

TEST(EventsPage, says_what_to_set_where_no_events_are_kept) {
  const auto answer = events_page(events::Journal{"m1", 0}, "");
  EXPECT_EQ(answer.status, 404U);
  EXPECT_NE(answer.body.find("events.keep"), std::string::npos);
}

TEST(EventsPage, goes_on_behind_the_number_of_the_query) {
  events::Journal journal{"m1", 10};
  journal.add({}, {events::LockLeft{GroupKey{"a"}}, events::LockLeft{GroupKey{"b"}}});
  EXPECT_EQ(events_page(journal, "").body, journal.answer(0));
  EXPECT_EQ(events_page(journal, "after=1").body, journal.answer(1));
}

TEST(EventsPage, refuses_any_other_query) {
  const events::Journal journal{"m1", 10};
  for (const char* query : {"after", "after=", "after=x", "after=-1", "after=1&x=2", "limit=1"}) {
    EXPECT_EQ(events_page(journal, query).status, 400U) << query;
  }
}

}  // namespace
}  // namespace fixkeep::node
