#include <gtest/gtest.h>

#include "tests/tidy/findings.hpp"

namespace fixkeep::tidy {
namespace {

Rules folders_broken(const std::vector<SourceFile>& tree) {
  return rules_of(check_folders(tree));
}

Rules folders_broken(const std::string& path, const std::string& text) {
  return folders_broken({{path, text}});
}

SourceFile header(const std::string& path, const std::string& included = {}) {
  return {path, included.empty() ? header_start : header_start + "#include \"" + included + "\"\n"};
}

TEST(TidyFolders, refuses_an_include_against_the_direction) {
  EXPECT_EQ(
      folders_broken({{"common/base/a.hpp", header_start + "#include \"common/wire/b.hpp\"\n"},
                      {"common/wire/b.hpp", header_start}}),
      Rules{"include"});
}

TEST(TidyFolders, refuses_the_load_generator_to_look_into_the_master) {
  EXPECT_EQ(folders_broken({{"client-sim/a.hpp", header_start + "#include \"master/b.hpp\"\n"},
                            {"master/b.hpp", header_start}}),
            Rules{"include"});
}

TEST(TidyFolders, refuses_the_load_generator_to_look_into_the_operators_tool) {
  EXPECT_EQ(folders_broken({{"client-sim/a.hpp", header_start + "#include \"ctl/b.hpp\"\n"},
                            {"ctl/b.hpp", header_start}}),
            Rules{"include"});
}

TEST(TidyFolders, refuses_siblings_that_include_each_other_whatever_is_below_them) {
  const std::vector<SourceFile> tree{header("worker/sdk/rest/a.hpp", "worker/sdk/grpc/b.hpp"),
                                     header("worker/sdk/grpc/b.hpp"),
                                     header("worker/sdk/grpc/deep/c.hpp", "worker/sdk/rest/a.hpp")};
  EXPECT_EQ(folders_broken(tree), Rules{"circle"});
  EXPECT_EQ(folders_broken({tree[0], tree[1]}), Rules{});
}

TEST(TidyFolders, let_a_folder_and_its_parent_include_each_other) {
  EXPECT_EQ(folders_broken({header("worker/sdk/a.hpp", "worker/sdk/grpc/b.hpp"),
                            header("worker/sdk/grpc/b.hpp", "worker/sdk/c.hpp"),
                            header("worker/sdk/c.hpp")}),
            Rules{});
}

TEST(TidyFolders, refuses_an_include_that_is_not_rooted) {
  EXPECT_EQ(folders_broken("master/a.hpp", header_start + "#include \"b.hpp\"\n"),
            Rules{"include"});
}

TEST(TidyFolders, lets_a_shell_include_its_own_core) {
  EXPECT_EQ(folders_broken({{"master/a.hpp", header_start + "#include \"master/core/b.hpp\"\n"},
                            {"master/core/b.hpp", header_start}}),
            Rules{});
}

TEST(TidyFolders, keeps_clocks_and_sockets_out_of_a_core) {
  EXPECT_EQ(
      folders_broken("master/core/a.hpp", header_start + "#include <boost/asio/ip/tcp.hpp>\n" +
                                              "auto x = std::chrono::steady_clock::now();\n"),
      (Rules{"sans_io", "sans_io"}));
  EXPECT_EQ(folders_broken("master/core/a.hpp", header_start + "// steady_clock::now\n"), Rules{});
}

TEST(TidyFolders, lets_no_sans_io_folder_include_what_is_of_the_system) {
  for (const std::string core : {"worker/core/", "master/core/hold/", "lock/core/mesh/"}) {
    for (const std::string planted : {"sys/socket.h",
                                      "sys/wait.h",
                                      "unistd.h",
                                      "fcntl.h",
                                      "netinet/in.h",
                                      "signal.h",
                                      "poll.h",
                                      "csignal",
                                      "ctime",
                                      "filesystem",
                                      "fstream",
                                      "iostream",
                                      "thread",
                                      "semaphore",
                                      "stop_token",
                                      "random",
                                      "boost/asio.hpp",
                                      "boost/asio/ip/tcp.hpp",
                                      "boost/filesystem.hpp",
                                      "spdlog/spdlog.h",
                                      "openssl/rand.h"}) {
      EXPECT_EQ(folders_broken(core + "a.cpp", "#include <" + planted + ">\n"), Rules{"sans_io"})
          << core << ' ' << planted;
    }
    for (const std::string fine :
         {"algorithm", "unordered_map", "vector", "boost/system/result.hpp", "fmt/format.h"}) {
      EXPECT_EQ(folders_broken(core + "a.cpp", "#include <" + fine + ">\n"), Rules{})
          << core << ' ' << fine;
    }
  }
  EXPECT_EQ(folders_broken("worker/shell/a.cpp", "#include <sys/socket.h>\n"), Rules{});
}

TEST(TidyFolders, lets_no_core_call_back) {
  for (const std::string core : {"worker/core/", "master/core/hold/"}) {
    EXPECT_EQ(folders_broken(core + "a.cpp", "#include <functional>\n"), Rules{"sans_io"}) << core;
  }
  EXPECT_EQ(folders_broken("lock/core/a.cpp", "#include <functional>\n"), Rules{});
}

TEST(TidyFolders, reads_an_include_however_it_is_written) {
  for (const std::string written : {"#include<poll.h>", "  #  include <poll.h>",
                                    "#include_next <poll.h>", "#include <poll.h>  // why"}) {
    EXPECT_EQ(folders_broken("worker/core/a.cpp", written + "\n"), Rules{"sans_io"}) << written;
  }
  EXPECT_EQ(folders_broken("worker/core/a.cpp", "// #include <poll.h>\n"), Rules{});
}

TEST(TidyFolders, knows_calls_that_pure_headers_declare) {
  EXPECT_EQ(folders_broken("worker/core/a.cpp", "auto* f = std::fopen(name, mode);\n"),
            Rules{"sans_io"});
  EXPECT_EQ(folders_broken("worker/core/a.cpp", "auto t = std::time(nullptr);\n"),
            Rules{"sans_io"});
  EXPECT_EQ(folders_broken("worker/core/a.cpp", "std::snprintf(text, 9, form);\n"), Rules{});
}

TEST(TidyFolders, lets_the_folders_of_a_core_include_each_other_in_one_direction) {
  const auto downwards = header("master/core/claims/b.hpp", "master/core/groups/c.hpp");
  EXPECT_EQ(folders_broken({header("master/core/a.hpp", "master/core/claims/b.hpp"), downwards,
                            header("master/core/groups/c.hpp")}),
            Rules{});
  EXPECT_EQ(folders_broken({downwards, header("master/core/groups/c.hpp"),
                            header("master/core/groups/d.hpp", "master/core/claims/e.hpp"),
                            header("master/core/claims/e.hpp")}),
            Rules{"circle"});
}

TEST(TidyFolders, finds_a_circle_over_several_folders_and_over_the_one_that_has_them) {
  const std::vector<SourceFile> tree{header("worker/core/a.hpp", "worker/core/seats/b.hpp"),
                                     header("worker/core/seats/b.hpp", "worker/core/rooms/c.hpp"),
                                     header("worker/core/rooms/c.hpp", "worker/core/d.hpp"),
                                     header("worker/core/d.hpp"),
                                     header("worker/core/promises/e.hpp", "worker/core/d.hpp")};
  const auto findings = check_folders(tree);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "worker/core");
  EXPECT_EQ(findings[0].size, 3);
  EXPECT_EQ(findings[0].message,
            "these folders include each other: worker/core, worker/core/rooms, worker/core/seats");
}

}  // namespace
}  // namespace fixkeep::tidy
