#include "common/node/node_shell.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace fixkeep::node {
namespace {

using std::chrono::milliseconds;

struct Said {
  std::string what;
};
struct Passed {};
struct Repeat {
  std::string what;
};

// Repeats what it hears, and wakes at `tick`.
struct EchoCore {
  using Event = std::variant<Said, Passed>;
  using Action = std::variant<Repeat>;
  using Actions = std::vector<Action>;
  using TimePassed = Passed;

  void step(Event&& event, TimePoint now, Actions& out) {
    if (const auto* said = std::get_if<Said>(&event)) {
      out.emplace_back(Repeat{said->what});
    } else {
      woken_at.push_back(now);
      tick = TimePoint::max();
    }
  }
  [[nodiscard]] TimePoint next_tick() const { return tick; }

  TimePoint tick = TimePoint::max();
  std::vector<TimePoint> woken_at;
};

struct EchoNode {
  explicit EchoNode(boost::asio::io_context& context) : shell(context, core, *this) {}

  void batch_begins() { seen.emplace_back("("); }
  void batch_ended(TimePoint now) {
    if (!last_words.empty()) shell.step(Said{std::exchange(last_words, {})}, now);
    seen.emplace_back(")");
    if (!afterwards.empty()) shell.take(Said{std::exchange(afterwards, {})});
  }
  void perform(const Repeat& wanted) {
    seen.push_back(wanted.what);
    if (wanted.what == "ask") shell.post(Said{"answer"});
    if (wanted.what == "take") shell.take(Said{"taken"});
    if (wanted.what == "drain") shell.drain();
  }

  EchoCore core;
  NodeShell<EchoCore, EchoNode> shell;
  std::vector<std::string> seen;
  std::string last_words;  // stepped at the end of the next batch
  std::string afterwards;  // taken from there
};

using Seen = std::vector<std::string>;

TEST(NodeShell, steps_all_that_has_arrived_as_one_batch) {
  boost::asio::io_context io;
  EchoNode node{io};
  node.shell.post(Said{"a"});
  node.shell.post(Said{"b"});
  EXPECT_TRUE(node.seen.empty()) << "not from within post()";
  io.run();
  EXPECT_EQ(node.seen, (Seen{"(", "a", "b", ")"}));
}

TEST(NodeShell, takes_what_an_action_brings_about_into_the_same_batch) {
  boost::asio::io_context io;
  EchoNode node{io};
  node.shell.post(Said{"ask"});
  node.shell.post(Said{"take"});
  node.shell.post(Said{"drain"});
  io.run();
  EXPECT_EQ(node.seen, (Seen{"(", "ask", "take", "drain", "answer", "taken", ")"}));
}

TEST(NodeShell, steps_at_once_what_it_takes_and_what_waits_before_it) {
  boost::asio::io_context io;
  EchoNode node{io};
  node.shell.post(Said{"a"});
  node.shell.take(Said{"b"});
  EXPECT_EQ(node.seen, (Seen{"(", "a", "b", ")"}));
  EXPECT_TRUE(node.shell.idle());
  io.run();
  EXPECT_EQ(node.seen.size(), 4U) << "the turn that was asked for finds nothing";
}

TEST(NodeShell, leaves_what_the_end_of_a_batch_brings_about_to_the_next_one) {
  boost::asio::io_context io;
  EchoNode node{io};
  node.last_words = "the end";
  node.afterwards = "the next";
  node.shell.post(Said{"a"});
  io.run();
  EXPECT_EQ(node.seen, (Seen{"(", "a", "the end", ")", "(", "the next", ")"}));
}

TEST(NodeShell, wakes_its_core_at_its_time_and_not_before) {
  boost::asio::io_context io;
  EchoNode node{io};
  const TimePoint first = net::steady_now() + milliseconds{5};
  node.core.tick = first;
  node.shell.arm();
  node.core.tick = first + milliseconds{15};  // it was put off: the timer looks again
  io.run();
  ASSERT_EQ(node.core.woken_at.size(), 1U);
  EXPECT_GE(node.core.woken_at[0], first + milliseconds{15});
}

TEST(NodeShell, sets_its_timer_for_an_earlier_time_only) {
  boost::asio::io_context io;
  EchoNode node{io};
  const TimePoint first = net::steady_now() + std::chrono::hours{1};
  node.core.tick = first;
  node.shell.arm();
  node.core.tick = first + milliseconds{1};
  node.shell.arm();
  EXPECT_EQ(io.poll(), 0U) << "a timer that is set anew ends its wait";
  node.core.tick = first - milliseconds{1};
  node.shell.arm();
  EXPECT_EQ(io.poll(), 1U);
}

// Keeps how late it was.
struct LateCore : EchoCore {
  void held_up(Duration late) { held.push_back(late); }
  std::vector<Duration> held;
};

struct LateNode {
  explicit LateNode(boost::asio::io_context& context) : shell(context, core, *this) {}
  void batch_begins() {}
  void batch_ended(TimePoint) {}
  void perform(const Repeat&) {}

  LateCore core;
  NodeShell<LateCore, LateNode> shell;
};

TEST(NodeShell, tells_its_core_once_how_late_a_batch_is) {
  using std::chrono::hours;
  boost::asio::io_context io;
  LateNode node{io};
  node.shell.take(Said{"nothing is due"});
  node.core.tick = net::steady_now() + hours{1};
  node.shell.arm();
  node.shell.take(Said{"it is not due yet"});
  EXPECT_TRUE(node.core.held.empty());
  node.core.tick = net::steady_now() - hours{1};
  node.shell.arm();
  node.shell.take(Said{"an hour late"});
  node.shell.take(Said{"the same hour"});
  ASSERT_FALSE(node.core.held.empty());
  EXPECT_GE(node.core.held.front(), hours{1});
  Duration all{};
  for (const Duration late : node.core.held) all += late;
  EXPECT_LT(all, hours{2});
}

TEST(NodeShell, is_not_woken_after_its_timer_was_stopped) {
  boost::asio::io_context io;
  EchoNode node{io};
  node.core.tick = net::steady_now();
  node.shell.arm();
  node.shell.stop_timer();
  io.run();
  EXPECT_TRUE(node.core.woken_at.empty());
  node.core.tick -= std::chrono::hours{1};
  node.shell.take(Said{"a"});
  io.restart();
  io.run();
  EXPECT_TRUE(node.core.woken_at.empty());
  EXPECT_EQ(node.seen, (Seen{"(", "a", ")"})) << "events are stepped as before";
}

TEST(NodeShell, that_is_gone_leaves_nothing_behind_in_the_loop) {
  boost::asio::io_context io;
  auto node = std::make_unique<EchoNode>(io);
  node->core.tick = net::steady_now() + milliseconds{1};
  node->shell.arm();
  node->shell.post(Said{"a"});
  node.reset();
  EXPECT_GT(io.run(), 0U);  // under AddressSanitizer: nothing that is gone was touched
}

}  // namespace
}  // namespace fixkeep::node
