#include "worker/runner/containers/images.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/containers/stand_in_engine.hpp"

namespace fixkeep::worker::containers {
namespace {

struct ImagesTest : testing::Test {
  // Returns why rooms of the image cannot start, when that is known.
  std::string problem_with(StandInEngine::Answers answers) {
    boost::asio::io_context context{1};
    const std::string path = (folder / "docker.sock").string();
    StandInEngine engine{context, path, std::move(answers)};
    EngineClient client{context, path};
    bool known = false;
    Images images{client, [&] { known = true; }};
    images.want("game");
    while (!known) context.run_one();
    EXPECT_FALSE(images.is_coming("game"));
    return images.problem_of("game");
  }
  const test::TemporaryFolder folder;
};

// The container is tried, and the engine says then whether it has the image.
TEST_F(ImagesTest, are_not_missing_because_the_engine_hangs_up) {
  EXPECT_EQ(problem_with([](const auto&) { return ""; }), "");
}
TEST_F(ImagesTest, are_not_missing_because_the_engine_is_busy) {
  EXPECT_EQ(
      problem_with([](const auto&) { return StandInEngine::with(500, R"({"message":"busy"})"); }),
      "");
}

TEST_F(ImagesTest, are_missing_where_the_engine_and_the_registry_say_so) {
  EXPECT_EQ(problem_with([](const auto&) {
              return StandInEngine::with(404, R"({"message":"pull access denied"})");
            }),
            "pull access denied");
}

}  // namespace
}  // namespace fixkeep::worker::containers
