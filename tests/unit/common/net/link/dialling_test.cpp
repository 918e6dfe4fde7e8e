// Nodes that are dialled, and masters that are known, while the process runs.
#include <gtest/gtest.h>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

struct Dialling : LinkHubTest {
  static LinkOptions second() { return options_of(Role::master, "m2", 2); }
  static LinkTarget target(const std::string& name, const Process& process) {
    return {name, "127.0.0.1", process.hub->port()};
  }
};

TEST_F(Dialling, keeps_links_to_exactly_those_that_are_wanted) {
  const auto first = start(master());
  const auto other = start(second());
  const auto dialler = start(worker());
  dialler->hub->dial_only({target("m1", *first)});
  ASSERT_TRUE(until([&] { return first->is_up() && dialler->is_up(); }));
  dialler->hub->dial_only({target("m1", *first), target("m2", *other)});
  ASSERT_TRUE(until([&] { return other->is_up(); }));
  EXPECT_TRUE(first->downs.empty()) << "it was wanted all the time";

  dialler->hub->dial_only({target("m2", *other)});
  ASSERT_TRUE(until([&] { return first->downs.size() == 1; }));
  // Longer than the longest pause between two attempts, as the other one shows.
  other->hub->close(Role::worker, "w1", Errc::stopping);
  ASSERT_TRUE(until([&] { return other->ups.size() == 2; }));
  other->hub->close(Role::worker, "w1", Errc::stopping);
  ASSERT_TRUE(until([&] { return other->ups.size() == 3; }));
  EXPECT_EQ(first->ups.size(), 1U);
}

TEST_F(Dialling, goes_to_the_new_address_of_a_node) {
  auto before = start(master());
  const auto dialler = start(worker());
  dialler->hub->dial_only({target("m1", *before)});
  ASSERT_TRUE(until([&] { return before->is_up() && dialler->is_up(); }));
  const auto after = start(master());
  dialler->hub->dial_only({target("m1", *after)});
  ASSERT_TRUE(
      until([&] { return after->is_up() && before->downs.size() == 1 && dialler->is_up(); }));
}

TEST_F(Dialling, gives_up_a_node_that_nobody_answers_for) {
  auto first = start(master());
  const auto gone = target("m1", *first);
  first.reset();
  const auto dialler = start(worker());
  dialler->hub->dial_only({gone});
  ASSERT_TRUE(until([&] { return !dialler->unreachable.empty(); }));
  dialler->hub->dial_only({});
  const auto other = start(second());
  dialler->hub->dial_only({target("m2", *other)});
  ASSERT_TRUE(until([&] { return other->is_up(); }));
  const auto attempts = dialler->unreachable.size();
  other->hub->close(Role::worker, "w1", Errc::stopping);
  ASSERT_TRUE(until([&] { return other->ups.size() == 2; }));
  EXPECT_EQ(dialler->unreachable.size(), attempts);
}

TEST_F(Dialling, a_master_that_is_not_known_any_more_loses_its_link_and_gets_no_other) {
  const auto listener = start(master());
  const auto other = start(second(), *listener);
  const auto player = start(worker(), *listener);
  ASSERT_TRUE(until([&] { return listener->ups.size() == 2; }));
  listener->hub->know({"m3"});
  ASSERT_TRUE(until([&] { return other->was_refused(Errc::unknown_node); }));
  EXPECT_EQ(listener->downs.size(), 1U) << "workers keep theirs";
  listener->hub->know({"m2", "m3"});
  ASSERT_TRUE(until([&] { return listener->ups.size() == 3; }));
}

}  // namespace
}  // namespace fixkeep::net
