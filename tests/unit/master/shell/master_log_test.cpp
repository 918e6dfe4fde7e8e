// What a master says of its orders, from what it sends and what its core tells.
#include "master/shell/master_log.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "common/obs/log.hpp"

namespace fixkeep::master {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr TimePoint epoch{1h};
const WorkerId worker{"w1"};
const CreationId creation{{7, MasterId{1}}, 0, Incarnation{9}};
constexpr const char* names =
    " request=r1 trace=00000000000000010000000000000002 group=duel "
    "creation=7.m1.0.0000000000000009 "
    "worker=w1";

class MasterLogTest : public ::testing::Test {
 protected:
  MasterLogTest() {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(obs::start_log({.level = obs::LogLevel::debug, .node = "m1"}));
    directory_.connect(worker, Incarnation{5});
  }
  ~MasterLogTest() override {
    if (!taken_) (void)text();
    (void)obs::start_log({});
    obs::stop_log();
  }
  std::string text() {
    taken_ = true;
    obs::stop_log();
    return testing::internal::GetCapturedStderr();
  }
  void order() {
    wire::SpawnRoom message;
    message.group = GroupKey{"duel"};
    message.creation = creation;
    message.claims = {{PlayerId{"ann"}, {}, {"r0", {}}},
                      {PlayerId{"bob"}, {}, {"r1", TraceContext{{1, 2}, 3, true}}}};
    MasterLog::sends({worker, message}, directory_);
  }
  void done(OrderDone::How how, std::string_view why = {}, bool has_room = true) {
    OrderDone order{
        worker, GroupKey{"duel"}, creation, {"r1", TraceContext{{1, 2}, 3, true}}, epoch};
    if (has_room) order.room = {worker, Incarnation{5}, RoomNumber{3}};
    order.how = how;
    order.why = why;
    log_.done(order, epoch + 1500ms);
  }

  Directory directory_{Placement::roomiest};
  std::vector<obs::Span> spans_;
  MasterLog log_{
      {.sink = [this](obs::Span&& span) { spans_.push_back(std::move(span)); }, .seed = 1}};

 private:
  bool taken_ = false;
};

TEST_F(MasterLogTest, tells_a_lock_that_was_granted_with_its_token) {
  MasterLog::taken({GroupKey{"duel/eu"}, {7, MasterId{2}}});
  EXPECT_THAT(text(), HasSubstr("info  m1 lock granted group=duel/eu token=7.m2\n"));
}

TEST_F(MasterLogTest, tells_an_order_and_the_room_that_came_of_it) {
  order();
  done(OrderDone::How::opened);
  const auto told = text();
  EXPECT_THAT(told, HasSubstr(std::string{"info  m1 room ordered"} + names + " requests=2\n"));
  EXPECT_THAT(told, HasSubstr(std::string{"info  m1 room opened"} + names +
                              " room=w1-0000000000000005-3 boot_ms=1500\n"));
}

TEST_F(MasterLogTest, an_order_has_a_span_until_its_room_is_open) {
  done(OrderDone::How::opened);
  ASSERT_EQ(spans_.size(), 1U);
  EXPECT_EQ(spans_[0].trace, (TraceId{1, 2}));
  EXPECT_EQ(spans_[0].parent, 3U) << "that of the request";
  EXPECT_NE(spans_[0].id, 0U);
  EXPECT_EQ(spans_[0].kind, obs::SpanKind::client);
  EXPECT_FALSE(spans_[0].failed);
  EXPECT_NEAR(std::chrono::duration<double>(spans_[0].end - spans_[0].begin).count(), 1.5, 0.1);
}

TEST_F(MasterLogTest, an_order_that_came_to_nothing_has_a_failed_span) {
  done(OrderDone::How::failed, "boot-failed");
  done(OrderDone::How::refused, "no-capacity", false);
  ASSERT_EQ(spans_.size(), 2U);
  EXPECT_TRUE(spans_[0].failed);
  EXPECT_TRUE(spans_[1].failed);
}

TEST_F(MasterLogTest, tells_a_boot_that_failed_with_its_reason) {
  done(OrderDone::How::failed, "boot-failed");
  EXPECT_THAT(text(), HasSubstr(std::string{"info  m1 room did not open"} + names +
                                " room=w1-0000000000000005-3 boot_ms=1500 reason=boot-failed\n"));
}

TEST_F(MasterLogTest, tells_a_warm_room_that_was_given) {
  done(OrderDone::How::given);
  EXPECT_THAT(text(), HasSubstr(std::string{"info  m1 warm room given"} + names +
                                " room=w1-0000000000000005-3\n"));
}

TEST_F(MasterLogTest, tells_an_order_that_was_refused_and_does_not_drown_in_them) {
  for (int i = 0; i < 50; ++i) done(OrderDone::How::refused, "no-capacity", false);
  const auto told = text();
  EXPECT_THAT(told,
              HasSubstr(std::string{"info  m1 order refused"} + names + " reason=no-capacity\n"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 10);
}

TEST_F(MasterLogTest, tells_an_order_that_is_out_of_sight_and_gives_it_no_span) {
  done(OrderDone::How::out_of_sight, {}, false);
  EXPECT_THAT(text(),
              HasSubstr(std::string{"info  m1 order out of sight: its worker's link is down"} +
                        names + "\n"));
  EXPECT_TRUE(spans_.empty());
}

TEST_F(MasterLogTest, tells_at_debug_whom_it_asked_for_which_seats) {
  const wire::SeatRequest message{
      1, RoomNumber{3}, {{PlayerId{"ann"}, {PlayerId{"bob"}}, {"r1", {}}}}};
  MasterLog::sends({worker, message}, directory_);
  EXPECT_THAT(text(), HasSubstr("debug m1 worker asked for seats request=r1 "
                                "room=w1-0000000000000005-3 worker=w1 players=2\n"));
}

}  // namespace
}  // namespace fixkeep::master
