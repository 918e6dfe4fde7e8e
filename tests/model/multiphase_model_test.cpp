// The exhaustive search of the production lock, and the proof that the search can find something.

#include <gtest/gtest.h>

#include <iostream>

#include "common/lock/multiphase_impl.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/lock_model_impl.hpp"

namespace fixkeep::model {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t most_states = 20'000;
constexpr std::size_t largest_search = most_states;
#else
constexpr std::size_t most_states = 250'000;
constexpr std::size_t largest_search = 1'000'000;
#endif

template <class Machine = lock::Multiphase>
Exploration run(const Budget& budget, std::size_t most = most_states) {
  return explore(LockModel<Machine>{budget}, most);
}

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

void expect_holds(const char* name, const Budget& budget, std::size_t most = most_states) {
  const auto result = run(budget, most);
  std::cout << name << ": " << result.states << " states, " << result.deepest << " steps deep"
            << (result.complete ? ", complete" : ", cut") << '\n';
  EXPECT_FALSE(result.violation) << story(result);
  EXPECT_TRUE(result.complete || result.states >= most);
}

template <class Machine>
void expect_found(const Budget& budget, std::string_view what) {
  const auto result = run<Machine>(budget, 1'000'000);
  ASSERT_TRUE(result.violation) << "nothing found in " << result.states << " states";
  EXPECT_NE(what.find(*result.violation), std::string_view::npos) << *result.violation;
  std::cout << story(result);
}

// --- what holds
// -----------------------------------------------------------------------------------

TEST(Multiphase, two_masters_exclude_each_other_through_abandons_and_reacquisitions) {
  expect_holds("2 masters", {.acquisitions = 3, .abandons = 3, .start_connected = true});
}

TEST(Multiphase, three_masters_exclude_each_other_through_abandons) {
  expect_holds("3 masters",
               {.masters = 3, .acquisitions = 1, .abandons = 2, .start_connected = true});
}

TEST(Multiphase, masters_that_start_apart_wait_for_each_other) {
  expect_holds("2 masters from start", {.acquisitions = 2, .abandons = 1});
}

TEST(Multiphase, excludes_through_crash_and_restart) {
  expect_holds("crash and restart", {.acquisitions = 2, .abandons = 1, .crashes = 1});
}

TEST(Multiphase, makes_one_room_when_links_break) {
  expect_holds("broken links", {.workers = 2,
                                .acquisitions = 2,
                                .link_losses = 2,
                                .orders_given_up = 1,
                                .grace = true,
                                .start_connected = true});
}

TEST(Multiphase, makes_one_room_when_masters_crash_and_start_alone) {
  expect_holds("crash, restart and grace", {.workers = 2,
                                            .acquisitions = 1,
                                            .crashes = 1,
                                            .link_losses = 1,
                                            .orders_given_up = 1,
                                            .grace = true});
}

TEST(Multiphase, three_masters_make_one_room_when_a_link_breaks_in_a_million_states) {
  expect_holds(
      "3 masters, broken link",
      {.masters = 3, .acquisitions = 1, .link_losses = 1, .grace = true, .start_connected = true},
      largest_search);
}

// --- what the search finds when a rule is missing
// -------------------------------------------------

struct NoRounds : lock::AllAmendments {
  static constexpr bool rounds = false;
};
struct NoGatedReset : lock::AllAmendments {
  static constexpr bool gated_reset = false;
};
struct NoJoin : lock::AllAmendments {
  static constexpr bool join_first = false;
};

TEST(Checker, finds_that_a_grant_outlives_its_question_without_rounds) {
  expect_found<lock::BasicMultiphase<NoRounds>>(
      {.acquisitions = 3, .abandons = 3, .start_connected = true}, "two holders");
}

TEST(Checker, finds_that_one_reset_wakes_a_lurker_too_early) {
  expect_found<lock::BasicMultiphase<NoGatedReset>>(
      {.masters = 3, .acquisitions = 2, .abandons = 2, .start_connected = true}, "two holders");
}

TEST(Checker, finds_that_messages_must_not_overtake_each_other) {
  expect_found<lock::Multiphase>({.masters = 3,
                                  .acquisitions = 2,
                                  .abandons = 2,
                                  .ordered_links = false,
                                  .start_connected = true},
                                 "two holders, or a deadlock");
}

TEST(Checker, finds_that_who_boots_alone_believes_it_is_alone) {
  expect_found<lock::BasicMultiphase<NoJoin>>({.acquisitions = 1}, "two holders");
}

TEST(Checker, finds_that_comparing_tokens_alone_lets_an_unfenced_order_pass_a_fence) {
  expect_found<lock::Multiphase>({.workers = 2,
                                  .acquisitions = 3,
                                  .link_losses = 1,
                                  .grace = true,
                                  .basis_checked = false,
                                  .start_connected = true},
                                 "two rooms");
}

}  // namespace
}  // namespace fixkeep::model
