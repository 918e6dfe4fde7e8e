#include "worker/runner/docker/engine_watch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker::docker {
namespace {

using namespace std::chrono_literals;

// There is none: so it is looked for again and again, and asked for signs of life.
TEST(EngineWatch, that_has_ended_asks_no_engine_and_holds_nothing_up) {
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  auto engine = std::make_unique<EngineClient>(context, (folder / "docker.sock").string());
  int told = 0;
  EngineWatch watch{context,
                    *engine,
                    {"c", "w1"},
                    {.listed = [](const auto&) {},
                     .happened = [](const auto&) {},
                     .away = [&](const auto&) { ++told; },
                     .back = [] {}}};
  watch.begin();
  while (told == 0) context.run_one();
  watch.end();
  engine.reset();
  context.run_for(EngineWatch::sign_of_life_every - 1s);
  EXPECT_TRUE(context.stopped()) << "something is still waited for";
  EXPECT_EQ(told, 1);
}

// It lists what it has and never tells an event, as one does that has lost the watcher of a game.
class SilentEngine {
 public:
  SilentEngine(boost::asio::io_context& context, const std::string& path)
      : context_(context), acceptor_(context, {path}) {
    accept();
  }
  void close() { acceptor_.close(); }
  std::string state = "running";

 private:
  using Socket = boost::asio::local::stream_protocol::socket;
  struct Talk {
    explicit Talk(boost::asio::io_context& context) : socket(context) {}
    Socket socket;
    std::string heard;
    std::string answer;
  };

  void accept() {
    const auto talk = std::make_shared<Talk>(context_);
    acceptor_.async_accept(talk->socket, [this, talk](boost::system::error_code error) {
      if (error) return;
      hear(talk);
      accept();
    });
  }
  void hear(const std::shared_ptr<Talk>& talk) {
    boost::asio::async_read_until(
        talk->socket, boost::asio::dynamic_buffer(talk->heard), "\r\n\r\n",
        [this, talk](boost::system::error_code error, std::size_t size) {
          if (error) return;
          talk->answer = answer_to(talk->heard);
          talk->heard.erase(0, size);
          boost::asio::async_write(talk->socket, boost::asio::buffer(talk->answer),
                                   [this, talk](boost::system::error_code lost, std::size_t) {
                                     if (!lost) hear(talk);
                                   });
        });
  }
  [[nodiscard]] std::string answer_to(const std::string& request) const {
    if (request.find("/events") != std::string::npos) {
      return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    }
    const bool lists = request.find("/containers/json") != std::string::npos;
    const std::string body =
        lists ? R"([{"Names":["/a"],"State":")" + state + R"("}])" : R"({"ApiVersion":"1.41"})";
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  boost::asio::io_context& context_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
};

TEST(EngineWatch, lists_again_while_an_engine_tells_nothing) {
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  SilentEngine silent{context, (folder / "docker.sock").string()};
  EngineClient engine{context, (folder / "docker.sock").string()};
  std::vector<ContainerState> seen;
  EngineWatch watch{context,
                    engine,
                    {"c", "w1"},
                    {.listed = [&](const auto& all) { seen.push_back(all.at(0).state); },
                     .happened = [](const auto&) {},
                     .away = [](const auto&) {},
                     .back = [] {}},
                    5ms};
  watch.begin();
  const auto until = std::chrono::steady_clock::now() + 60s;
  const auto goes_on = [&](std::size_t lists) {
    while (seen.size() < lists && std::chrono::steady_clock::now() < until) {
      context.run_one_for(100ms);
    }
  };
  goes_on(2);
  silent.state = "exited";
  goes_on(5);
  watch.end();
  silent.close();
  ASSERT_GE(seen.size(), 5U) << "it was listed once";
  EXPECT_EQ(seen.front(), ContainerState::running);
  EXPECT_EQ(seen.back(), ContainerState::exited);
}

}  // namespace
}  // namespace fixkeep::worker::docker
