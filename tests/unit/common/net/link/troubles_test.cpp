#include "common/net/link/troubles.hpp"

#include <gmock/gmock.h>

#include "common/obs/log.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LinkTroublesTest : public ::testing::Test {
 protected:
  // Lines go out directly as long as the log is not started.
  template <class Body>
  std::vector<std::string> lines_of(Body body) {
    ::testing::internal::CaptureStderr();
    body();
    std::istringstream text{::testing::internal::GetCapturedStderr()};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static LinkFailure away(Errc reason = Errc::handshake_timeout) {
    return {true, "m2", "10.0.0.2:7100", reason};
  }
  static Peer m2() {
    Peer peer;
    peer.name = "m2";
    return peer;
  }

  LinkTroubles troubles{{"m1", "m2"}};
  TimePoint start{seconds{100}};
};

TEST_F(LinkTroublesTest, tell_an_unreachable_peer_at_once_with_address_and_reason) {
  EXPECT_THAT(lines_of([&] { troubles.unreachable(away(), start); }),
              ElementsAre(AllOf(HasSubstr("warning"), HasSubstr("unreachable"),
                                HasSubstr("peer=m2"), HasSubstr("address=10.0.0.2:7100"),
                                HasSubstr("did not finish the handshake"))));
}

TEST_F(LinkTroublesTest, tell_it_again_after_intervals_that_grow_to_a_minute) {
  std::vector<std::int64_t> told;
  for (int tenth = 0; tenth < 3000; ++tenth) {
    const auto now = start + milliseconds{100} * tenth;
    if (!lines_of([&] { troubles.unreachable(away(), now); }).empty()) told.push_back(tenth / 10);
  }
  EXPECT_THAT(told, ElementsAre(0, 1, 3, 7, 15, 31, 63, 123, 183, 243));
}

TEST_F(LinkTroublesTest, tell_another_reason_at_once) {
  troubles.unreachable(away(), start);
  EXPECT_THAT(lines_of([&] { troubles.unreachable(away(), start + milliseconds{10}); }), IsEmpty());
  EXPECT_THAT(
      lines_of([&] { troubles.refused(away(Errc::wrong_secret), start + milliseconds{20}); }),
      ElementsAre(AllOf(HasSubstr("link refused"), HasSubstr("cluster.secret"))));
}

TEST_F(LinkTroublesTest, tell_that_it_is_back_and_begin_anew) {
  for (int second = 0; second < 20; ++second) {
    troubles.unreachable(away(), start + seconds{second});
  }
  EXPECT_THAT(lines_of([&] { troubles.up(m2(), start + seconds{20}); }),
              ElementsAre(AllOf(HasSubstr("link up"), HasSubstr("peer=m2"),
                                HasSubstr("after_attempts=20"), HasSubstr("after_ms=20000"))));
  EXPECT_EQ(troubles.of("m2"), "");
  EXPECT_EQ(lines_of([&] { troubles.unreachable(away(), start + seconds{21}); }).size(), 1U);
}

// As of a node that dials, says what is no message, and dials again.
TEST_F(LinkTroublesTest, limit_a_node_whose_links_come_and_go_and_no_other) {
  const auto lines = lines_of([&] {
    for (int i = 0; i < 20'000; ++i) {
      troubles.up(m2(), start + milliseconds{i});
      troubles.down(m2(), Errc::malformed_message, start + milliseconds{i});
    }
  });
  EXPECT_LE(lines.size(), 60U);
  EXPECT_THAT(lines, testing::Contains(testing::ContainsRegex("and [0-9]+ more like it")));
  Peer other = m2();
  other.name = "m3";
  EXPECT_EQ(lines_of([&] { troubles.up(other, start + seconds{20}); }).size(), 1U);
  const auto later = start + std::chrono::minutes{5};
  EXPECT_EQ(lines_of([&] { troubles.up(m2(), later); }).size(), 1U);
  EXPECT_EQ(lines_of([&] { troubles.down(m2(), Errc::heartbeat_missed, later); }).size(), 1U);
}

TEST_F(LinkTroublesTest, limit_strangers_by_the_host_they_come_from) {
  const auto lines = lines_of([&] {
    for (int i = 0; i < 1000; ++i) {
      troubles.refused({false, "", "10.0.0.9:" + std::to_string(20'000 + i), Errc::wrong_secret},
                       start + milliseconds{i});
    }
    troubles.refused({false, "", "10.0.0.8:4000", Errc::wrong_secret}, start);
  });
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines.back(), HasSubstr("10.0.0.8"));
}

TEST_F(LinkTroublesTest, are_known_by_name_as_long_as_they_last) {
  troubles.refused(away(Errc::wrong_secret), start);
  EXPECT_EQ(troubles.of("m2"),
            "link refused at 10.0.0.2:7100: the other side has another cluster.secret");
  troubles.refused({false, "m1", "10.0.0.1:5000", Errc::duplicate_node}, start);
  EXPECT_THAT(troubles.of("m1"), HasSubstr("refused here, from 10.0.0.1:5000"));
  troubles.refused({false, "stranger", "10.0.0.7:5000", Errc::unknown_node}, start);
  EXPECT_EQ(troubles.of("stranger"), "");
}

TEST_F(LinkTroublesTest, tell_of_copies_for_as_long_as_they_come_back) {
  const auto copy = [&](const std::string& host, TimePoint when) {
    troubles.refused({false, "w1", host + ":5000", Errc::duplicate_node}, when);
  };
  copy("10.0.0.7", start);
  copy("10.0.0.8", start + milliseconds{1});
  copy("10.0.0.7", start + milliseconds{2});
  troubles.refused({false, "w2", "10.0.0.9:5000", Errc::wrong_secret}, start);
  const auto found = troubles.refused(start + milliseconds{3});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].host, "10.0.0.8");
  EXPECT_EQ(found[1].name + " " + found[1].host + " " + std::to_string(found[1].times),
            "w1 10.0.0.7 2");
  EXPECT_TRUE(troubles.refused(start + std::chrono::minutes{2}).empty());
  for (int i = 0; i < 100; ++i) copy("10.1.0." + std::to_string(i), start + milliseconds{i});
  EXPECT_EQ(troubles.refused(start + milliseconds{100}).size(), LinkTroubles::strangers_most);
}

// A worker of another release dials, and dials again; and a master of another one is dialled.
TEST_F(LinkTroublesTest, name_the_versions_of_both_sides_and_whose_program_is_to_be_replaced) {
  constexpr auto own = wire::limits::protocol_version;
  const auto from = [&](std::uint32_t version, const std::string& name, bool dialled = false) {
    return LinkFailure{dialled, name, "10.0.0.7:5000", Errc::wrong_version, version};
  };
  const std::string older = "it speaks version 1 of the protocol, this node version " +
                            std::to_string(own) + ": upgrade it";
  EXPECT_THAT(
      lines_of([&] { troubles.refused(from(1, "w1"), start); }),
      ElementsAre(AllOf(HasSubstr("link refused"), HasSubstr("peer=w1"), HasSubstr(older))));
  troubles.refused(from(own + 1, "w2"), start);
  troubles.refused(from(own + 1, "m1"), start);
  EXPECT_THAT(troubles.of("m1"), HasSubstr(": upgrade this node"));
  troubles.refused(from(1, "m2", true), start);
  EXPECT_EQ(troubles.of("m2"), "link refused at 10.0.0.7:5000: " + older);

  troubles.refused(from(1, "w1"), start + seconds{1});
  const auto told = troubles.refused(start + seconds{2});
  ASSERT_EQ(told.size(), 3U) << "those that dialled";
  EXPECT_EQ(told.back().name, "w1");
  EXPECT_EQ(told.back().times, 2U);
  EXPECT_EQ(told.back().version, 1U);
  Peer upgraded;
  upgraded.name = "w1";
  troubles.up(upgraded, start + seconds{3});
  EXPECT_EQ(troubles.refused(start + seconds{4}).size(), 2U) << "it is no trouble any more";
}

}  // namespace
}  // namespace fixkeep::net
