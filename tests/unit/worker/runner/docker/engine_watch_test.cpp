#include "worker/runner/docker/engine_watch.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fixkeep::worker::docker
