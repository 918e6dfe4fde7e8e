// Connections to names that are looked up by a function of the test, which may never answer.
#include "common/net/dial/dialler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>

#include "common/net/dial/names_at_once.hpp"

namespace fixkeep::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;
using boost::system::error_code;

// Names and their addresses; those that are held are not answered until release().
class NameServer {
 public:
  void add(const std::string& name, const std::vector<std::string>& addresses) {
    LookupAnswer answer;
    for (const auto& each : addresses) answer.addresses.push_back(asio::ip::make_address(each));
    const std::scoped_lock guard{mutex_};
    answers_[name] = answer;
  }
  void hold(const std::string& name) {
    const std::scoped_lock guard{mutex_};
    held_.push_back(name);
  }
  void release() {
    const std::scoped_lock guard{mutex_};
    released_ = true;
    changed_.notify_all();
  }
  LookupAnswer look_up(const std::string& name) {
    std::unique_lock guard{mutex_};
    ++asked_[name];
    const bool held = std::find(held_.begin(), held_.end(), name) != held_.end();
    if (held) changed_.wait(guard, [&] { return released_; });
    const auto found = answers_.find(name);
    return found == answers_.end() ? LookupAnswer{asio::error::host_not_found, {}} : found->second;
  }
  int asked(const std::string& name) {
    const std::scoped_lock guard{mutex_};
    return asked_[name];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, LookupAnswer> answers_;
  std::vector<std::string> held_;
  std::map<std::string, int> asked_;
  bool released_ = false;
};

struct Dialled {
  bool done = false;
  error_code error;
  tcp::endpoint to;
};

struct DiallerTest : ::testing::Test {
  ~DiallerTest() override { names->release(); }

  // A listener at 127.0.0.1.
  std::uint16_t listen() {
    const tcp::endpoint any{asio::ip::address_v4::loopback(), 0};
    return listeners.emplace_back(io, any).local_endpoint().port();
  }
  // One whose queue is full: who dials it hears nothing.
  std::uint16_t listen_silently() {
    tcp::acceptor& made = listeners.emplace_back(io);
    made.open(tcp::v4());
    made.bind({asio::ip::address_v4::loopback(), 0});
    made.listen(0);
    const auto where = made.local_endpoint();
    for (int i = 0; i < 3; ++i) {
      fillers.emplace_back(io).async_connect(where, [](error_code) {});
    }
    io.poll();
    return where.port();
  }
  std::shared_ptr<Dialled> dial(Dialler& dialler, const std::string& host, std::uint16_t port,
                                std::chrono::milliseconds limit = 60s) {
    auto made = std::make_shared<Dialled>();
    dialler.dial({host, port, limit}, [made](error_code error, const tcp::socket& socket) {
      EXPECT_FALSE(made->done) << "it is told once";
      made->done = true;
      made->error = error;
      if (!error) made->to = socket.remote_endpoint();
    });
    EXPECT_FALSE(made->done) << "not from within";
    return made;
  }
  void finish(const std::shared_ptr<Dialled>& dialled) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!dialled->done && std::chrono::steady_clock::now() < limit) {
      io.restart();
      io.run_one_for(100ms);
    }
    ASSERT_TRUE(dialled->done);
  }

  std::shared_ptr<NameServer> names = std::make_shared<NameServer>();
  std::shared_ptr<NameLookups> lookups = std::make_shared<NameLookups>(
      [server = names](const std::string& name) { return server->look_up(name); });
  asio::io_context io;
  std::list<tcp::acceptor> listeners;
  std::list<tcp::socket> fillers;
};

TEST_F(DiallerTest, an_address_waits_for_no_name) {
  names->hold("silent");
  Dialler to_name{io.get_executor(), lookups};
  Dialler to_address{io.get_executor(), lookups};
  const auto waiting = dial(to_name, "silent", 1);
  const auto dialled = dial(to_address, "127.0.0.1", listen());
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  EXPECT_FALSE(waiting->done);
  EXPECT_EQ(names->asked("127.0.0.1"), 0);
}

TEST_F(DiallerTest, a_name_waits_for_no_other_name) {
  names->hold("silent");
  names->add("lively", {"127.0.0.1"});
  Dialler first{io.get_executor(), lookups};
  Dialler second{io.get_executor(), lookups};
  const auto waiting = dial(first, "silent", 1);
  const auto dialled = dial(second, "lively", listen());
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  EXPECT_FALSE(waiting->done);
}

// What Debian's /etc/hosts says of "localhost", with a server that listens at 127.0.0.1.
TEST_F(DiallerTest, goes_on_to_the_address_that_listens) {
  names->add("local", {"::1", "127.0.0.1"});
  Dialler dialler{io.get_executor(), lookups};
  const auto port = listen();
  const auto dialled = dial(dialler, "local", port);
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  EXPECT_EQ(dialled->to, tcp::endpoint(asio::ip::address_v4::loopback(), port));
}

// The first address gets half of the time, so that the limit is not reached by far.
TEST_F(DiallerTest, a_silent_address_leaves_time_for_the_next_one) {
  const auto port = listen_silently();
  listeners.emplace_back(io, tcp::endpoint{asio::ip::make_address("127.0.0.2"), port});
  names->add("two", {"127.0.0.1", "127.0.0.2"});
  Dialler dialler{io.get_executor(), lookups};
  const auto dialled = dial(dialler, "two", port, 4s);
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  EXPECT_EQ(dialled->to.address().to_string(), "127.0.0.2");
}

TEST_F(DiallerTest, ends_with_its_limit_at_a_silent_address) {
  Dialler dialler{io.get_executor(), lookups};
  const auto dialled = dial(dialler, "127.0.0.1", listen_silently(), 50ms);
  finish(dialled);
  EXPECT_EQ(dialled->error, asio::error::timed_out);
}

TEST_F(DiallerTest, says_why_the_last_address_failed) {
  const auto port = listen();
  listeners.clear();
  names->add("gone", {"127.0.0.1", "127.0.0.2"});
  Dialler dialler{io.get_executor(), lookups};
  const auto dialled = dial(dialler, "gone", port);
  finish(dialled);
  EXPECT_EQ(dialled->error, asio::error::connection_refused);
}

TEST_F(DiallerTest, says_what_the_look_up_says) {
  Dialler dialler{io.get_executor(), lookups};
  const auto unknown = dial(dialler, "unknown", 1);
  finish(unknown);
  EXPECT_EQ(unknown->error, asio::error::host_not_found);
  names->add("empty", {});
  const auto empty = dial(dialler, "empty", 1);
  finish(empty);
  EXPECT_EQ(empty->error, asio::error::host_not_found);
}

TEST_F(DiallerTest, ends_with_its_limit_at_a_silent_name_server_and_uses_a_late_answer_later) {
  names->hold("late");
  names->add("late", {"127.0.0.1"});
  Dialler dialler{io.get_executor(), lookups};
  const auto port = listen();
  for (int i = 0; i < 3; ++i) {
    const auto dialled = dial(dialler, "late", port, 20ms);
    finish(dialled);
    EXPECT_EQ(dialled->error, asio::error::host_not_found_try_again);
  }
  names->release();
  const auto dialled = dial(dialler, "late", port);
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  EXPECT_EQ(names->asked("late"), 1) << "one look-up served them all";
}

TEST_F(DiallerTest, may_be_cancelled_at_any_time) {
  names->hold("silent");
  Dialler dialler{io.get_executor(), lookups};
  for (const auto& [host, port] :
       {std::pair{"silent", std::uint16_t{1}}, {"127.0.0.1", listen_silently()}}) {
    const auto dialled = dial(dialler, host, port);
    dialler.cancel();
    finish(dialled);
    EXPECT_EQ(dialled->error, asio::error::operation_aborted);
  }
  std::shared_ptr<Dialled> dialled;
  {
    Dialler gone{io.get_executor(), lookups};
    dialled = dial(gone, "silent", 1);
  }
  finish(dialled);
  EXPECT_EQ(dialled->error, asio::error::operation_aborted);
}

TEST_F(DiallerTest, an_io_context_may_end_before_a_look_up) {
  names->hold("silent");
  {
    asio::io_context other;
    auto dialler = std::make_shared<Dialler>(other.get_executor(), lookups);
    dialler->dial({"silent", 1, 60s}, [dialler](error_code, const tcp::socket&) {
      ADD_FAILURE() << "nobody runs this context";
    });
    other.poll();
  }
  names->release();
  names->add("later", {"127.0.0.1"});
  Dialler after{io.get_executor(), lookups};
  const auto dialled = dial(after, "later", listen());
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
}

// Names in plenty that hang keep their threads, which are bounded; addresses do not care.
TEST_F(DiallerTest, threads_are_bounded_however_many_names_hang) {
  std::list<Dialler> diallers;
  std::vector<std::shared_ptr<Dialled>> waiting;
  for (int i = 0; i < 100; ++i) {
    const auto name = "silent" + std::to_string(i);
    names->hold(name);
    waiting.push_back(dial(diallers.emplace_back(io.get_executor(), lookups), name, 1));
  }
  Dialler dialler{io.get_executor(), lookups};
  const auto dialled = dial(dialler, "127.0.0.1", listen());
  finish(dialled);
  EXPECT_EQ(dialled->error, error_code{});
  int asked = 0;
  for (int i = 0; i < 100; ++i) asked += names->asked("silent" + std::to_string(i));
  EXPECT_LE(asked, static_cast<int>(LookupLimits{}.running));
  names->release();
  for (const auto& each : waiting) finish(each);
  EXPECT_EQ(waiting.back()->error, asio::error::host_not_found);
}

TEST_F(DiallerTest, names_at_once_are_told_together_and_a_silent_one_is_late) {
  names->hold("silent");
  names->add("lively", {"127.0.0.2"});
  std::vector<LookupAnswer> told;
  const NamesAtOnce round{io.get_executor(),
                          {"silent", "lively", "127.0.0.1", "unknown"},
                          3s,
                          [&](const auto& answers) { told = answers; },
                          *lookups};
  EXPECT_TRUE(told.empty()) << "not from within";
  io.run();
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[0].error, asio::error::host_not_found_try_again);
  EXPECT_EQ(told[1].addresses, std::vector{asio::ip::make_address("127.0.0.2")});
  EXPECT_EQ(told[2].addresses, std::vector{asio::ip::make_address("127.0.0.1")});
  EXPECT_EQ(told[3].error, asio::error::host_not_found);
}

TEST_F(DiallerTest, names_at_once_wait_no_longer_than_they_have_to_and_are_not_told_when_they_go) {
  names->add("lively", {"127.0.0.2"});
  int told = 0;
  {
    const NamesAtOnce round{
        io.get_executor(), {"lively", "unknown"}, 24h, [&](const auto&) { ++told; }, *lookups};
    io.run();
  }
  EXPECT_EQ(told, 1);
  names->hold("silent");
  io.restart();
  {
    const NamesAtOnce round{
        io.get_executor(), {"silent"}, 24h, [&](const auto&) { ++told; }, *lookups};
    io.poll();
  }
  io.run();
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace fixkeep::net
