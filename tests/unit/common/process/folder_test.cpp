#include "common/process/folder.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::process {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uid_t stranger = 65534;

struct FolderTest : testing::Test {
  static mode_t mode_of(const fs::path& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (base / name).string(); }
  [[nodiscard]] Folder open() const { return *Folder::open(base.string()); }

  // In memory: what is made here is of no size, and a busy disk takes its time for each folder.
  test::TemporaryFolder base{fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path()};
};

TEST_F(FolderTest, what_is_made_has_its_mode_whatever_the_umask) {
  const mode_t before = ::umask(077);
  const auto made = open().make("passage", 0711);
  ::umask(before);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(mode_of(base / "passage"), 0711U);
  ASSERT_TRUE(made->write_new("file", "text", 0600, ::geteuid(), ::getegid()));
  EXPECT_EQ(text_of(base / "passage/file"), "text");
  EXPECT_EQ(mode_of(base / "passage/file"), 0600U);
}

TEST_F(FolderTest, nothing_is_made_where_something_is) {
  ASSERT_TRUE(open().make("there", 0700));
  fs::create_symlink(base / "elsewhere", base / "link");
  for (const char* name : {"there", "link"}) {
    EXPECT_FALSE(open().make(name, 0700)) << name;
    EXPECT_FALSE(open().write_new(name, "text", 0600, ::geteuid(), ::getegid())) << name;
  }
  EXPECT_FALSE(fs::exists(base / "elsewhere"));
}

TEST_F(FolderTest, a_link_leads_nowhere) {
  fs::create_directory(base / "victim");
  fs::create_directory_symlink(base / "victim", base / "link");
  EXPECT_FALSE(open().at("link"));
  EXPECT_FALSE(Folder::open(path("link")));
  EXPECT_TRUE(open().at("victim"));
}

TEST_F(FolderTest, a_folder_is_removed_with_all_that_is_in_it_and_nothing_else) {
  fs::create_directories(base / "victim/inner");
  std::ofstream{base / "victim/file"} << "stays";
  fs::create_directories(base / "room/a/b");
  std::ofstream{base / "room/a/b/file"} << "goes";
  fs::create_directory_symlink(base / "victim", base / "room/a/link");
  fs::create_directory_symlink(base / "victim", base / "room/link");
  fs::create_directories(base / "room/.removed-0/.removed-1");
  EXPECT_TRUE(remove_folder(path("room")));
  EXPECT_FALSE(fs::exists(base / "room"));
  EXPECT_EQ(text_of(base / "victim/file"), "stays");
  EXPECT_TRUE(fs::exists(base / "victim/inner"));
  EXPECT_TRUE(remove_folder(path("room"))) << "it is gone already";
}

TEST_F(FolderTest, a_link_is_not_removed_in_place_of_a_folder) {
  fs::create_directory(base / "victim");
  std::ofstream{base / "victim/file"} << "stays";
  fs::create_directory_symlink(base / "victim", base / "link");
  EXPECT_FALSE(remove_folder(path("link")));
  EXPECT_TRUE(fs::exists(base / "victim/file"));
}

TEST_F(FolderTest, a_tree_as_deep_as_you_like_is_removed) {
  auto folder = *Folder::open(base.string());
  for (int depth = 0; depth < 2000; ++depth) folder = *folder.make("deeper", 0700);
  EXPECT_TRUE(remove_folder(path("deeper")));
  EXPECT_FALSE(fs::exists(base / "deeper"));
}

TEST_F(FolderTest, what_its_owner_made_to_be_read_only_is_removed) {
  fs::create_directories(base / "room/cache/module");
  std::ofstream{base / "room/cache/module/file"} << "goes";
  for (const char* each : {"room/cache/module", "room/cache"}) ::chmod(path(each).c_str(), 0500);
  EXPECT_TRUE(remove_folder(path("room")));
  EXPECT_FALSE(fs::exists(base / "room"));
}

// A game may have moved into its folder what is not its own.
TEST_F(FolderTest, what_the_owner_of_a_folder_could_not_remove_stays) {
  if (::geteuid() != 0) {
    std::puts("only root removes for others");
    return;
  }
  fs::create_directories(base / "room/of-root");
  fs::create_directories(base / "room/own");
  std::ofstream{base / "room/of-root/file"} << "stays";
  for (const char* each : {"room", "room/own"}) {
    ASSERT_EQ(::chown(path(each).c_str(), stranger, stranger), 0);
  }
  EXPECT_FALSE(remove_folder(path("room")));
  EXPECT_EQ(text_of(base / "room/of-root/file"), "stays");
  EXPECT_FALSE(fs::exists(base / "room/own"));
  EXPECT_EQ(::geteuid(), 0U);
  EXPECT_TRUE(fs::create_directory(base / "again")) << "we are root again with files as well";
}

TEST_F(FolderTest, says_who_else_may_change_it) {
  fs::create_directories(base / "ours/inner");
  const auto who = [&](mode_t mode) {
    ::chmod(path("ours").c_str(), mode);
    return who_else_may_change(path("ours/inner"));
  };
  EXPECT_EQ(who(0755), "");
  EXPECT_EQ(who(0757), path("ours") + " can be written to by every user");
  EXPECT_EQ(who(01777), "") << "who may write there cannot take away what is ours";
  EXPECT_EQ(who(0775), "") << "of our own group";
  EXPECT_THAT(who_else_may_change(path("none")), HasSubstr("No such file"));
  fs::create_directory_symlink(base / "ours", base / "link");
  EXPECT_EQ(who(0757), who_else_may_change(path("link/inner")));
}

TEST_F(FolderTest, of_another_user_or_group_may_be_changed_by_them) {
  if (::geteuid() != 0) {
    std::puts("only root gives folders away");
    return;
  }
  fs::create_directories(base / "theirs/inner");
  ASSERT_EQ(::chown(path("theirs").c_str(), 0, stranger), 0);
  ::chmod(path("theirs").c_str(), 0775);
  EXPECT_EQ(who_else_may_change(path("theirs/inner")),
            path("theirs") + " can be written to by its group");
  ASSERT_EQ(::chown(path("theirs").c_str(), stranger, stranger), 0);
  ::chmod(path("theirs").c_str(), 0755);
  EXPECT_EQ(who_else_may_change(path("theirs/inner")), path("theirs") + " belongs to another user");
}

TEST_F(FolderTest, says_why_nothing_can_be_made_and_makes_nothing) {
  std::ofstream{base / "file"} << "text";
  EXPECT_EQ(why_no_folder(path("a/b")), "");
  EXPECT_EQ(why_no_folder(base.string()), "");
  EXPECT_EQ(why_no_folder(path("file")), path("file") + " is no folder");
  EXPECT_EQ(why_no_folder(path("file/a")), path("file") + " is no folder");
  EXPECT_EQ(why_no_file(path("log")), "");
  EXPECT_EQ(why_no_file(path("file")), "");
  EXPECT_EQ(why_no_file(base.string()), base.string() + " is a folder");
  EXPECT_EQ(why_no_file(path("a/log")), path("a") + ": No such file or directory");
  EXPECT_EQ(why_no_file(path("file/log")), path("file") + " is no folder");
  fs::create_symlink("a/log", base / "link");
  EXPECT_EQ(why_no_file(path("link")), path("a") + ": No such file or directory");
  EXPECT_EQ(why_no_folder(path("link")), path("link") + ": No such file or directory");
  fs::create_directory(base / "a");
  EXPECT_EQ(why_no_file(path("link")), "") << "it is made where our link leads";
  EXPECT_TRUE(fs::is_empty(base / "a"));
  EXPECT_THAT(why_no_folder("/proc/sys/a/b"), StartsWith("/proc/sys: "));
}

}  // namespace
}  // namespace fixkeep::process
