#include "worker/runner/containers/tar.hpp"

#include <gtest/gtest.h>

#include <map>

namespace fixkeep::worker::containers {
namespace {

struct Entry {
  char type = 0;
  std::string text;

  friend bool operator==(const Entry&, const Entry&) = default;
};

std::uint64_t octal(const std::string& archive, std::size_t at, std::size_t digits) {
  return std::stoull(archive.substr(at, digits), nullptr, 8);
}

// Reads what tar_of() has written; a block whose sum is wrong is a failure.
std::map<std::string, Entry> read(const std::string& archive) {
  std::map<std::string, Entry> entries;
  std::string long_name;
  EXPECT_EQ(archive.size() % 512, 0U);
  for (std::size_t at = 0; archive.at(at) != '\0';) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i) {
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(archive.at(at + i));
    }
    EXPECT_EQ(sum, octal(archive, at + 148, 6));
    EXPECT_EQ(archive.substr(at + 257, 8), std::string("ustar\0"
                                                       "00",
                                                       8));
    const auto size = octal(archive, at + 124, 11);
    const char type = archive.at(at + 156);
    std::string name = archive.substr(at, 100);
    name.resize(std::min(name.find('\0'), name.size()));
    const std::string text = archive.substr(at + 512, size);
    if (type == 'x') {
      EXPECT_EQ(std::stoul(text), text.size());
      long_name = text.substr(text.find('=') + 1);
      long_name.pop_back();
    } else {
      if (!long_name.empty()) name = std::exchange(long_name, {});
      EXPECT_TRUE(entries.emplace(name, Entry{type, text}).second) << name;
    }
    at += 512 + (size + 511) / 512 * 512;
  }
  return entries;
}

TEST(Tar, has_the_files_and_each_folder_once) {
  const std::string full(512, 'x');
  const auto entries =
      read(tar_of("room", {{"a.txt", "hello\n"}, {"d/e/b.cfg", full}, {"d/c", ""}}));
  const std::map<std::string, Entry> expected{
      {"room/", {'5', ""}},     {"room/a.txt", {'0', "hello\n"}}, {"room/d/", {'5', ""}},
      {"room/d/e/", {'5', ""}}, {"room/d/e/b.cfg", {'0', full}},  {"room/d/c", {'0', ""}}};
  EXPECT_EQ(entries, expected);
}

TEST(Tar, a_name_of_any_length_is_whole) {
  for (const std::size_t length : {97U, 98U, 99U, 100U, 150U, 2000U}) {
    const std::string name(length, 'n');
    const auto entries = read(tar_of("room", {{name, "t"}}));
    EXPECT_TRUE(entries.contains("room/" + name)) << length;
    EXPECT_EQ(entries.size(), 2U);
  }
}

}  // namespace
}  // namespace fixkeep::worker::containers
