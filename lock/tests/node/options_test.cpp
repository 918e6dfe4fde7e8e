#include "lock/node/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fixkeep::lock_node {
namespace {

constexpr const char* three = "1=127.0.0.1:7301,2=127.0.0.1:7302,3=[::1]:7303";

struct Parsed {
  std::variant<NodeOptions, ExitCode> result;
  std::string said;
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fixkeep-lock-node");
  std::ostringstream out;
  std::ostringstream err;
  auto result = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {std::move(result), out.str() + err.str()};
}

TEST(LockNodeOptions, take_their_address_from_the_list_of_all) {
  const auto parsed = parse({"--self", "2", "--peers", three});
  ASSERT_TRUE(std::holds_alternative<NodeOptions>(parsed.result)) << parsed.said;
  const auto& options = std::get<NodeOptions>(parsed.result);
  EXPECT_EQ(options.self, MasterId{2});
  EXPECT_EQ(options.strategy, "multiphase");
  EXPECT_EQ(config::to_string(options.listen), "127.0.0.1:7302");
  ASSERT_EQ(options.peers.size(), 2U);
  EXPECT_EQ(config::to_string(options.peers.at(MasterId{3})), "[::1]:7303");
}

TEST(LockNodeOptions, set_everything_else) {
  const auto parsed = parse({"--self",          "4",
                             "--peers",         three,
                             "--listen",        "127.0.0.1:7400",
                             "--strategy",      "redlock",
                             "--servers",       "127.0.0.1:1,127.0.0.1:2",
                             "--lease-ms",      "300",
                             "--wait-ms",       "400",
                             "--join-grace-ms", "500",
                             "--quorum",        "majority",
                             "--cluster",       "c"});
  ASSERT_TRUE(std::holds_alternative<NodeOptions>(parsed.result)) << parsed.said;
  const auto& options = std::get<NodeOptions>(parsed.result);
  EXPECT_EQ(options.peers.size(), 3U);
  EXPECT_EQ(options.listen.port, 7400);
  EXPECT_EQ(options.servers.size(), 2U);
  EXPECT_EQ(options.lease, std::chrono::milliseconds{300});
  EXPECT_EQ(options.wait, std::chrono::milliseconds{400});
  EXPECT_EQ(options.join_grace, std::chrono::milliseconds{500});
  EXPECT_EQ(options.quorum, lock::Quorum::majority);
  EXPECT_EQ(options.cluster, "c");
}

TEST(LockNodeOptions, say_what_is_wrong) {
  struct WrongArguments {
    std::vector<const char*> arguments;
    const char* said;
  };
  for (const auto& [arguments, said] : std::vector<WrongArguments>{
           {{"--self", "1"}, "--peers is required"},
           {{"--peers", three}, "--self is required"},
           {{"--self", "0", "--peers", three}, "--self"},
           {{"--self", "9", "--peers", three}, "where to listen"},
           {{"--self", "1", "--peers", "1:127.0.0.1:7301"}, "is not like 2=127.0.0.1:7302"},
           {{"--self", "1", "--peers", "1=127.0.0.1:1,1=127.0.0.1:2"}, "have the number of"},
           {{"--self", "1", "--peers", "999=127.0.0.1:1"}, "is not like"},
           {{"--self", "1", "--peers", three, "--listen", "here"}, "--listen"},
           {{"--self", "1", "--peers", three, "--strategy", "hope"}, "is not one of multiphase"},
           {{"--self", "1", "--peers", three, "--strategy", "etcd"}, "needs them"},
           {{"--self", "1", "--peers", three, "--servers", "127.0.0.1:1"}, "has none"},
           {{"--self", "1", "--peers", three, "--lease-ms", "0"}, "--lease-ms"},
           {{"--self", "1", "--peers", three, "--quorum", "half"}, "--quorum"}}) {
    const auto parsed = parse(arguments);
    ASSERT_TRUE(std::holds_alternative<ExitCode>(parsed.result)) << said;
    EXPECT_EQ(std::get<ExitCode>(parsed.result).code, exit_usage) << said;
    EXPECT_NE(parsed.said.find(said), std::string::npos) << parsed.said;
  }
}

TEST(LockNodeOptions, help_is_no_mistake) {
  const auto parsed = parse({"--help"});
  ASSERT_TRUE(std::holds_alternative<ExitCode>(parsed.result));
  EXPECT_EQ(std::get<ExitCode>(parsed.result).code, 0);
  EXPECT_NE(parsed.said.find("--strategy"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::lock_node
