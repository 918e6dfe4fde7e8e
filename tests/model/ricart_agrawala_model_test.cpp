// The exhaustive search of the lock of Ricart and Agrawala: what it promises, what it needs each
// rule for, and how it fails under a partition, which it does not promise to survive.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

constexpr auto ricart_agrawala = Variant::ricart_agrawala;

TEST(RicartAgrawala, holds_in_every_state) {
  expect_all_hold(
      {
          {"2 masters: acquire, abandon",
           {.variant = ricart_agrawala,
            .workers = 1,
            .acquisitions = 3,
            .abandons = 3,
            .start_connected = true},
           400'000,
           true},
          {"2 masters: start, crash, restart",
           {.variant = ricart_agrawala, .workers = 1, .acquisitions = 2, .crashes = 1},
           400'000,
           true},
          {"2 masters: two crashes",
           {.variant = ricart_agrawala, .acquisitions = 2, .crashes = 2, .start_connected = true},
           400'000,
           true},
          {"2 masters: start alone, crash, link loss, grace, lost order",
           {.variant = ricart_agrawala,
            .workers = 1,
            .acquisitions = 1,
            .crashes = 1,
            .link_losses = 1,
            .holds_cut = 1,
            .grace = true},
           60'000,
           false},
          {"2 masters: two link losses",
           {.variant = ricart_agrawala,
            .workers = 1,
            .acquisitions = 2,
            .link_losses = 2,
            .start_connected = true},
           60'000,
           false},
          {"3 masters: start apart", {.variant = ricart_agrawala, .masters = 3}, 400'000, true},
          {"3 masters: two abandons",
           {.variant = ricart_agrawala, .masters = 3, .abandons = 2, .start_connected = true},
           400'000,
           true},
          {"3 masters: two acquisitions each",
           {.variant = ricart_agrawala, .masters = 3, .acquisitions = 2, .start_connected = true},
           400'000,
           false},
          {"3 masters: crash, restart",
           {.variant = ricart_agrawala, .masters = 3, .crashes = 1, .start_connected = true},
           400'000,
           false},
          {"3 masters, 1 worker: link loss",
           {.variant = ricart_agrawala,
            .masters = 3,
            .workers = 1,
            .link_losses = 1,
            .start_connected = true},
           60'000,
           false},
      },
      700'000);
}

TEST(RicartAgrawalaChecker, finds_two_holders_without_deferral) {
  expect_found_without(Variant::ricart_agrawala_no_deferral, ricart_agrawala,
                       {.start_connected = true}, 20);
}

TEST(RicartAgrawalaChecker, finds_two_holders_if_answers_do_not_say_to_what) {
  expect_found_without(Variant::ricart_agrawala_no_rounds, ricart_agrawala,
                       {.acquisitions = 2, .abandons = 2, .start_connected = true}, 30);
}

// docs/locks-under-partition.md prints this one.
TEST(RicartAgrawalaUnderPartition, two_masters_hold_at_once) {
  expect_found(
      {.variant = ricart_agrawala, .link_losses = 1, .start_connected = true, .exclusive = true},
      "two holders", 20);
}

}  // namespace
}  // namespace fixkeep::model
