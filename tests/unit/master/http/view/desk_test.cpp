// The desk with its real second thread. This thread is the master's: it runs the io_context.
#include "master/http/view/desk.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "common/base/random.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

class ViewDeskTest : public ::testing::Test {
 protected:
  ~ViewDeskTest() override {
    if (desk_) desk_->stop();
  }
  void open(ViewDeskOptions options = {}) {
    desk_ = ViewDesk::start(context_, options);
    turn();
  }
  void turn() { desk_->turn(directory_.take_news(), directory_); }
  void worker_with(std::uint32_t rooms) {
    directory_.connect(worker_, Incarnation{1});
    for (std::uint32_t i = 1; i <= rooms; ++i) put(i);
  }
  void put(std::uint32_t number) {
    wire::RoomInfo info;
    info.number = RoomNumber{number};
    info.group = GroupKey{"g" + std::to_string(number % 10)};
    info.phase = wire::RoomPhase::open;
    info.place = wire::at_port(20'000);
    info.capacity = 8;
    EXPECT_TRUE(directory_.put(worker_, info));
  }
  void ask(const std::string& kind, ViewDesk::Look look) {
    ++asked_;
    desk_->look(kind, std::move(look), [this](net::HttpAnswer answer) {
      EXPECT_EQ(std::this_thread::get_id(), master_);
      answers_.push_back(std::move(answer));
    });
  }
  void run_until_answered() {
    const auto limit = std::chrono::steady_clock::now() + seconds{60};
    while (answers_.size() < asked_ && std::chrono::steady_clock::now() < limit) {
      context_.run_one_for(std::chrono::milliseconds{100});
      context_.restart();
    }
    ASSERT_EQ(answers_.size(), asked_);
  }

  const std::thread::id master_ = std::this_thread::get_id();
  const WorkerId worker_{"w1"};
  boost::asio::io_context context_{1};
  Directory directory_{Placement::roomiest};
  std::shared_ptr<ViewDesk> desk_;
  std::size_t asked_ = 0;
  std::vector<net::HttpAnswer> answers_;
};

net::HttpAnswer count_rooms(const DirectoryView& view) {
  std::uint64_t rooms = 0;
  const auto sight = view.totals();
  for (const auto& [mode, totals] : sight->modes) {
    rooms += std::accumulate(totals.rooms.begin(), totals.rooms.end(), std::uint64_t{0});
  }
  return {.status = 200, .body = std::to_string(rooms)};
}

// Lets the second thread in, and keeps it there.
class Gate {
 public:
  ViewDesk::Look look() {
    return [this](const DirectoryView&) {
      inside_ = true;
      while (!open_) std::this_thread::yield();
      return net::HttpAnswer{.status = 200, .body = "gate"};
    };
  }
  void wait() const {
    while (!inside_) std::this_thread::yield();
  }
  void open() { open_ = true; }

 private:
  std::atomic<bool> inside_{false};
  std::atomic<bool> open_{false};
};

TEST_F(ViewDeskTest, looks_are_made_on_the_second_thread) {
  open();
  std::thread::id made_by;
  ask("page", [&](const DirectoryView&) {
    made_by = std::this_thread::get_id();
    return net::HttpAnswer{.status = 200, .body = "text"};
  });
  EXPECT_TRUE(answers_.empty()) << "never from inside";
  run_until_answered();
  EXPECT_EQ(answers_.front().body, "text");
  EXPECT_NE(made_by, master_);
}

TEST_F(ViewDeskTest, a_look_shows_what_was_known_when_it_was_asked) {
  open();
  worker_with(1000);  // more than one turn brings
  turn();
  ask("page", count_rooms);
  run_until_answered();
  EXPECT_EQ(answers_.front().body, "1000");
}

TEST_F(ViewDeskTest, a_reader_delays_the_news_and_not_the_master) {
  open();
  Gate gate;
  ask("slow", [look = gate.look()](const DirectoryView& view) {
    const auto reading = view.lock().read();
    return look(view);
  });
  gate.wait();
  worker_with(5);
  const auto began = std::chrono::steady_clock::now();
  turn();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds{500});
  EXPECT_EQ(desk_->put_off(), 1U);
  ask("page", count_rooms);
  context_.run_for(std::chrono::milliseconds{5});
  context_.restart();
  EXPECT_TRUE(answers_.empty()) << "held until the view is current";
  gate.open();
  run_until_answered();
  EXPECT_EQ(answers_.back().body, "5");
}

TEST_F(ViewDeskTest, a_flood_of_one_kind_is_refused_and_others_go_on) {
  ViewDeskOptions options;
  options.mailboxes.waiting_per_key = 2;
  open(options);
  Gate gate;
  ask("rooms", gate.look());
  gate.wait();
  for (int i = 0; i < 3; ++i) ask("rooms", count_rooms);
  ask("metrics", count_rooms);
  gate.open();
  run_until_answered();
  int busy = 0;
  for (const auto& answer : answers_) {
    if (answer.status != 503) continue;
    ++busy;
    EXPECT_NE(answer.body.find("view-busy"), std::string::npos);
    EXPECT_EQ(answer.retry_after_seconds, 1U);
  }
  EXPECT_EQ(busy, 1);
}

TEST_F(ViewDeskTest, a_look_that_throws_is_an_internal_error) {
  open();
  ask("page", [](const DirectoryView&) -> net::HttpAnswer { throw std::runtime_error{"no"}; });
  ask("page", count_rooms);
  run_until_answered();
  EXPECT_EQ(answers_[0].status, 500U);
  EXPECT_EQ(answers_[1].status, 200U);
}

TEST_F(ViewDeskTest, stop_answers_everything_and_ends_the_thread) {
  open();
  Gate gate;
  ask("rooms", gate.look());
  gate.wait();
  for (int i = 0; i < 5; ++i) ask("rooms", count_rooms);
  gate.open();
  desk_->stop();
  ask("rooms", count_rooms);
  run_until_answered();
  EXPECT_EQ(answers_.back().status, 503U);
  EXPECT_NE(answers_.back().body.find("stopping"), std::string::npos);
  desk_->stop();  // twice is once
}

// Changes and pages at the same time, for the thread sanitizer; and each page must be whole.
TEST_F(ViewDeskTest, pages_are_whole_while_the_directory_changes) {
  open();
  worker_with(500);
  turn();
  Random random{7};
  for (int turn_number = 1; turn_number <= 100; ++turn_number) {
    for (int i = 0; i < 20; ++i) {
      const auto number = RoomNumber{static_cast<std::uint32_t>(251 + random.below(250))};
      const RoomId room{worker_, Incarnation{1}, number};
      if (random.chance(0.2)) {
        directory_.remove(room);
      } else if (random.chance(0.3)) {
        put(number.number());
      } else {
        wire::SeatReply reply;
        reply.phase = wire::RoomPhase::open;
        reply.seated = {PlayerId{std::to_string(random.below(8))}};
        directory_.seats_reserved(room, reply);
      }
    }
    if (turn_number % 20 == 0) {  // a worker goes and comes back, with rooms that were always there
      directory_.disconnect(worker_);
      worker_with(300);
    }
    turn();
    ask("rooms", [](const DirectoryView& view) {
      return net::HttpAnswer{.status = 200, .body = *rooms_json(view, {})};
    });
    ask("totals", count_rooms);
    while (asked_ > answers_.size() + 20) {  // so many may wait
      ASSERT_GT(context_.run_one_for(seconds{60}), 0U);
      context_.restart();
    }
  }
  run_until_answered();
  for (const auto& answer : answers_) {
    EXPECT_EQ(answer.status, 200U);
    EXPECT_FALSE(answer.body.empty());
  }
}

}  // namespace
}  // namespace fixkeep::master
