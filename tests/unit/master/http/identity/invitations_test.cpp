#include "master/http/identity/invitations.hpp"

#include <gtest/gtest.h>

#include "common/base/base64.hpp"

namespace fixkeep::master {
namespace {

using Fault = Invitations::Fault;

const PlayerId ann{"ann"};
const PlayerId bob{"bob"};
const Invitations::Party duel_of_ann{ann, ModeName{"duel"}};
constexpr std::string_view secret_of_cluster = "a secret of a cluster";
constexpr auth::WallTime sent{std::chrono::seconds{1'800'000'000}};

std::string used(Invitations& invitations, std::string_view invitation,
                 const Invitations::Party& party = duel_of_ann, auth::WallTime now = sent) {
  const auto result = invitations.use(invitation, party, now);
  if (const auto* fault = std::get_if<Fault>(&result)) return std::string{detail_of(*fault)};
  return std::get<PlayerId>(result).text();
}

std::string detail(Fault fault) {
  return std::string{detail_of(fault)};
}

TEST(Invitations, bring_their_member_once) {
  Invitations invitations{secret_of_cluster};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one), "bob");
  EXPECT_EQ(used(invitations, one), detail(Fault::used));
  EXPECT_EQ(used(invitations, invitations.make(duel_of_ann, bob, sent)), "bob");
}

TEST(Invitations, that_brought_no_seat_count_again) {
  Invitations invitations{secret_of_cluster};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one), "bob");
  invitations.give_back(one, ann);
  EXPECT_EQ(used(invitations, one), "bob");
}

TEST(Invitations, are_for_their_leader) {
  Invitations invitations{secret_of_cluster};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one, {PlayerId{"eve"}, ModeName{"duel"}}), detail(Fault::of_another));
  EXPECT_EQ(used(invitations, one), "bob");
}

// A member who agrees to a duel is not brought into another game.
TEST(Invitations, are_for_their_mode) {
  Invitations invitations{secret_of_cluster};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one, {ann, ModeName{"team"}}), detail(Fault::of_another_mode));
  EXPECT_EQ(used(invitations, one), "bob");
}

TEST(Invitations, end_after_a_minute) {
  Invitations invitations{secret_of_cluster};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one, duel_of_ann, sent + std::chrono::seconds{60}),
            detail(Fault::ended));
  EXPECT_EQ(used(invitations, one, duel_of_ann, sent + std::chrono::milliseconds{59'999}), "bob");
}

TEST(Invitations, of_nobody_who_knows_the_key_are_forged) {
  Invitations invitations{secret_of_cluster};
  Invitations others{"another secret"};
  const auto one = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, others.make(duel_of_ann, bob, sent)), detail(Fault::forged));
  std::string claims = from_base64url(one.substr(0, one.find('.'))).value();
  claims.replace(claims.rfind("bob"), 3, "eve");
  std::string changed;
  append_base64url(claims, changed);
  EXPECT_EQ(used(invitations, changed + one.substr(one.find('.'))), detail(Fault::forged));
  for (const std::string other : {"", ".", "a.b", "rubbish"}) {
    EXPECT_EQ(used(invitations, other), detail(Fault::forged));
  }
  EXPECT_EQ(used(invitations, one + "A"), detail(Fault::forged));
}

TEST(Invitations, of_masters_with_a_secret_count_at_each_of_them) {
  Invitations one{secret_of_cluster};
  Invitations other{secret_of_cluster};
  EXPECT_EQ(used(other, one.make(duel_of_ann, bob, sent)), "bob");
  Invitations alone{""};
  Invitations apart{""};
  EXPECT_EQ(used(apart, alone.make(duel_of_ann, bob, sent)), detail(Fault::forged));
  EXPECT_EQ(used(alone, alone.make(duel_of_ann, bob, sent)), "bob");
}

TEST(Invitations, of_one_leader_keep_no_other_one_from_its_party) {
  Invitations invitations{secret_of_cluster};
  for (std::size_t i = 0; i < Invitations::most_of_leader; ++i) {
    ASSERT_EQ(used(invitations, invitations.make(duel_of_ann, bob, sent)), "bob");
  }
  const auto one_more = invitations.make(duel_of_ann, bob, sent);
  EXPECT_EQ(used(invitations, one_more), detail(Fault::too_many));
  const Invitations::Party of_eve{PlayerId{"eve"}, ModeName{"duel"}};
  EXPECT_EQ(used(invitations, invitations.make(of_eve, bob, sent), of_eve), "bob");
  const auto later = sent + Invitations::life;
  EXPECT_EQ(used(invitations, invitations.make(duel_of_ann, bob, later), duel_of_ann, later),
            "bob");
}

TEST(Invitations, are_remembered_until_they_end_and_no_more_than_so_many) {
  Invitations invitations{secret_of_cluster};
  const auto party_of = [](std::size_t i) {
    return Invitations::Party{PlayerId{std::to_string(i / Invitations::most_of_leader)},
                              ModeName{"duel"}};
  };
  for (std::size_t i = 0; i < Invitations::most_used; ++i) {
    const auto party = party_of(i);
    ASSERT_EQ(used(invitations, invitations.make(party, bob, sent), party), "bob");
  }
  EXPECT_EQ(used(invitations, invitations.make(duel_of_ann, bob, sent)), detail(Fault::full));
  const auto later = sent + Invitations::life;
  EXPECT_EQ(used(invitations, invitations.make(duel_of_ann, bob, later), duel_of_ann, later),
            "bob");
}

}  // namespace
}  // namespace fixkeep::master
