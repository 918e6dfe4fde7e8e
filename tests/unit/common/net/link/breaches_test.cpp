#include "common/net/link/breaches.hpp"

#include <gtest/gtest.h>

namespace fixkeep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const Breaches::Key rude{Role::worker, "w1"};
const Breaches::Key rude_master{Role::master, "w1"};  // another node, though of the same name
const TimePoint first_breach{seconds{100}};

TEST(Breaches, keep_a_node_out_for_longer_each_time_up_to_a_minute) {
  Breaches breaches{8};
  TimePoint now = first_breach;
  for (const int out : {1, 2, 4, 8, 16, 32, 60, 60}) {
    breaches.ended(rude, Errc::malformed_message, now);
    EXPECT_EQ(breaches.of(rude, now), Errc::malformed_message);
    EXPECT_EQ(breaches.of(rude_master, now), std::nullopt);
    now += seconds{out};
    EXPECT_EQ(breaches.of(rude, now - milliseconds{1}), Errc::malformed_message);
    EXPECT_EQ(breaches.of(rude, now), std::nullopt);
  }
  now += minutes{2};
  breaches.ended(rude, Errc::frame_too_large, now);
  EXPECT_EQ(breaches.of(rude, now), Errc::frame_too_large);
  EXPECT_EQ(breaches.of(rude, now + seconds{1}), std::nullopt) << "it is like any other again";
}

TEST(Breaches, are_not_what_happens_to_honest_nodes) {
  Breaches breaches{8};
  for (const Errc reason : {Errc::heartbeat_missed, Errc::link_replaced, Errc::send_queue_full,
                            Errc::connect_anew, Errc::stopping}) {
    breaches.ended(rude, reason, first_breach);
    EXPECT_EQ(breaches.of(rude, first_breach), std::nullopt);
  }
  breaches.ended(rude, make_error_code(boost::system::errc::connection_reset), first_breach);
  EXPECT_EQ(breaches.of(rude, first_breach), std::nullopt);
}

TEST(Breaches, are_kept_of_so_many_nodes) {
  Breaches breaches{8};
  for (int i = 0; i < 100; ++i) {
    breaches.ended({Role::worker, "w" + std::to_string(i)}, Errc::malformed_message,
                   first_breach + milliseconds{i});
  }
  int out = 0;
  for (int i = 0; i < 100; ++i) {
    out += breaches.of({Role::worker, "w" + std::to_string(i)}, first_breach + milliseconds{100})
               ? 1
               : 0;
  }
  EXPECT_EQ(out, 8);
}

}  // namespace
}  // namespace fixkeep::net
