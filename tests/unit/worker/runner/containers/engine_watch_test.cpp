#include "worker/runner/containers/engine_watch.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/containers/stand_in_engine.hpp"

namespace fixkeep::worker::containers {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

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

TEST(EngineWatch, lists_again_while_an_engine_tells_nothing) {
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  // It lists what it has and never tells an event, as one does that has lost the watcher of a game.
  std::string state = "running";
  StandInEngine silent{
      context, (folder / "docker.sock").string(), [&](const std::string& request) {
        if (request.find("/events") != std::string::npos) {
          return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"s;
        }
        return StandInEngine::ok(R"([{"Names":["/a"],"State":")" + state + R"("}])");
      }};
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
  state = "exited";
  goes_on(5);
  watch.end();
  silent.close();
  ASSERT_GE(seen.size(), 5U) << "it was listed once";
  EXPECT_EQ(seen.front(), ContainerState::running);
  EXPECT_EQ(seen.back(), ContainerState::exited);
}

}  // namespace
}  // namespace fixkeep::worker::containers
