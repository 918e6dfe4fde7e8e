// The exhaustive search of the production lock, and the proof that the search can find something.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"2 masters: acquire, abandon",
       {.workers = 1, .acquisitions = 3, .abandons = 3, .start_connected = true},
       400'000,
       true},
      {"2 masters: start, acquire, abandon",
       {.workers = 1, .acquisitions = 2, .abandons = 2},
       400'000,
       true},
      {"2 masters: start, crash, restart",
       {.workers = 2, .acquisitions = 2, .crashes = 1},
       1'000'000,
       true},
      {"2 masters: start alone, crash, link loss, grace, lost order",
       {.workers = 1,
        .acquisitions = 1,
        .crashes = 1,
        .link_losses = 1,
        .holds_cut = 1,
        .grace = true},
       300'000,
       false},
      {"2 masters, 2 workers: link loss, grace, lost order",
       {.workers = 2,
        .acquisitions = 2,
        .link_losses = 1,
        .holds_cut = 1,
        .grace = true,
        .start_connected = true},
       200'000,
       false},
      {"3 masters: start apart", {.masters = 3, .acquisitions = 1}, 400'000, true},
      {"3 masters: two abandons",
       {.masters = 3, .acquisitions = 1, .abandons = 2, .start_connected = true},
       400'000,
       true},
      {"3 masters: two acquisitions each, abandon",
       {.masters = 3, .acquisitions = 2, .abandons = 1, .start_connected = true},
       1'000'000,
       true},
      {"3 masters: crash, restart",
       {.masters = 3, .acquisitions = 1, .crashes = 1, .start_connected = true},
       2'500'000,
       true},
      {"3 masters, 1 worker: link loss",
       {.masters = 3, .workers = 1, .acquisitions = 1, .link_losses = 1, .start_connected = true},
       200'000,
       false},
  };
  return all;
}

TEST(Multiphase, holds_in_a_million_states) {
  expect_all_hold(cases(), 1'000'000);
}

// docs/locks-under-partition.md prints this one.
TEST(MultiphaseUnderPartition, two_masters_hold_at_once) {
  expect_found({.link_losses = 1, .start_connected = true, .exclusive = true}, "two holders", 20);
}

// --- what the search finds when a rule is missing

void expect_nothing_found_in_production(Budget budget) {
  budget.variant = Variant::production;
  budget.ordered_links = true;
  budget.basis_checked = true;
  expect_nothing_found(budget);
}

TEST(Checker, finds_two_holders_without_rounds) {
  const Budget budget{
      .variant = Variant::no_rounds, .acquisitions = 2, .abandons = 2, .start_connected = true};
  expect_found(budget, "two holders", 12);
  expect_nothing_found_in_production(budget);
}

TEST(Checker, finds_two_holders_without_gated_reset) {
  const Budget budget{.variant = Variant::no_gated_reset,
                      .masters = 3,
                      .acquisitions = 1,
                      .abandons = 1,
                      .start_connected = true};
  expect_found(budget, "two holders", 17);
  expect_nothing_found_in_production(budget);
}

TEST(Checker, finds_a_deadlock_without_ordered_links) {
  const Budget budget{
      .acquisitions = 1, .abandons = 1, .start_connected = true, .ordered_links = false};
  expect_found(budget, "deadlock", 6);
  expect_nothing_found_in_production(budget);
}

TEST(Checker, finds_two_holders_without_ordered_links) {
  const Budget budget{.masters = 3,
                      .acquisitions = 2,
                      .abandons = 1,
                      .start_connected = true,
                      .ordered_links = false,
                      .progress_checked = false};
  expect_found(budget, "two holders", 17);
  expect_nothing_found_in_production(budget);
}

TEST(Checker, finds_two_holders_without_hello_and_grace) {
  const Budget budget{.variant = Variant::no_join};
  expect_found(budget, "two holders", 2);
  expect_nothing_found_in_production(budget);
}

// Not one of the four, but of docs/locks.md, "The fence": once after a change is not enough.
TEST(Checker, finds_two_holders_without_a_fence_if_a_split_mesh_fences_once) {
  const Budget budget{.variant = Variant::no_split_fence,
                      .acquisitions = 2,
                      .link_losses = 1,
                      .start_connected = true};
  expect_found(budget, "two holders without a fence", 9);
  expect_nothing_found_in_production(budget);
}

// Why an order names the fence that it builds on (docs/locks.md, "The fence").
TEST(Checker, finds_two_rooms_if_workers_compare_tokens_alone) {
  const Budget budget{.workers = 1,
                      .acquisitions = 2,
                      .link_losses = 1,
                      .refusals = 1,
                      .start_connected = true,
                      .basis_checked = false};
  expect_found(budget, "two rooms", 24);
  expect_nothing_found_in_production(budget);
}

}  // namespace
}  // namespace fixkeep::model
