#include "common/config/document.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> problems_of(std::string_view text) {
  Problems problems;
  (void)Document::from_text("f.json", text, problems);
  std::vector<std::string> lines;
  for (const auto& problem : problems) lines.push_back(to_string(problem));
  return lines;
}

TEST(Document, knows_the_line_of_each_key) {
  Problems problems;
  const auto document = Document::from_text("f.json", R"({
  // a comment, with "quotes" and { braces
  "a": { "b":
      1,
    "c": [10,
      20
    ] },
  /* a longer
     comment */ "d": [ { "e": "x\n\"y" },

      { "e": null } ]
})",
                                            problems);
  EXPECT_THAT(problems, IsEmpty());
  const auto line = [&](const char* key) { return document.origin(key).line; };
  EXPECT_EQ(line(""), 1U);
  EXPECT_EQ(line("a"), 3U);
  EXPECT_EQ(line("a.b"), 3U);
  EXPECT_EQ(line("a.c"), 5U);
  EXPECT_EQ(line("a.c[0]"), 5U);
  EXPECT_EQ(line("a.c[1]"), 6U);
  EXPECT_EQ(line("d"), 9U);
  EXPECT_EQ(line("d[0].e"), 9U);
  EXPECT_EQ(line("d[1]"), 11U);
  EXPECT_EQ(line("d[1].missing.deeper[3]"), 11U);
  EXPECT_EQ(line("nothing"), 1U);
  EXPECT_EQ(document.origin("a.c[1]").where, "f.json:6");
  EXPECT_EQ(*find(document.root(), "d[0].e"), "x\n\"y");
  EXPECT_EQ(find(document.root(), "d[2].e"), nullptr);
  EXPECT_EQ(find(document.root(), "a.b.c"), nullptr);
}

TEST(Document, says_where_the_syntax_is_wrong_and_what_was_expected) {
  EXPECT_THAT(problems_of("{\n  \"a\": 1\n  \"b\": 2\n}"),
              ElementsAre("f.json:3:5: found a text; expected ',' or '}'"));
  EXPECT_THAT(problems_of("{\n  \"a\": 1,\n}"),
              ElementsAre("f.json:3:1: found '}'; expected a key in quotes"));
  EXPECT_THAT(problems_of("{\"a\": [1 2]}"),
              ElementsAre("f.json:1:11: found a number; expected ',' or ']'"));
  EXPECT_THAT(problems_of("{\"a\":\n"),
              ElementsAre(::testing::StartsWith("f.json:1:6: found the end of the file")));
  EXPECT_THAT(problems_of(""), ElementsAre(::testing::HasSubstr("found the end of the file")));
  EXPECT_THAT(problems_of("{} {}"), ElementsAre(::testing::StartsWith("f.json:1:4: found '{'")));
  EXPECT_THAT(problems_of("{\"a\": tru}"), ElementsAre(::testing::HasSubstr("invalid literal")));
  EXPECT_THAT(problems_of("\x01\xff\xfe"), ::testing::SizeIs(1));
}

// Whatever stands where the syntax breaks may be the secret, or part of it.
TEST(Document, never_shows_what_stands_where_the_syntax_is_wrong) {
  for (const std::string text :
       {"{\"secret\": \"hush-hush", "{\"secret\": hush-hush}", "{\"secret\": \"hush-\thush\"}",
        "{\"secret\": \"hush\\-hush\"}", "{\"secret\": \"hush-hush\" \"hush-hush\"}",
        "{\"secret\": \"'; expected hush-hush", "{\"secret\": \"; last read: 'hush-hush",
        "{\"secret\": \"hush-hush'; expected '}'", "hush-hush", "{\"hush-hush\": 1 \"hush-hush\"}",
        "{\"secret\": \"hush-\xff\"}", "{\"n\": 1e99999}", "{\"secret\": \"hush - hush\n\"}",
        "{\"secret\": 'hush-hush'}", "{\"secret\": \"'; expected '}'"}) {
    const auto problems = problems_of(text);
    ASSERT_THAT(problems, ::testing::SizeIs(1)) << text;
    EXPECT_THAT(problems[0], ::testing::MatchesRegex("f.json:[0-9]+:[0-9]+: .+"));
    EXPECT_THAT(problems[0], ::testing::Not(::testing::HasSubstr("hush"))) << text;
    EXPECT_THAT(problems[0], ::testing::Not(::testing::HasSubstr("last read"))) << text;
  }
  EXPECT_THAT(problems_of("{\n  \"secret\": \"hush-hush\n}"),
              ElementsAre(::testing::StartsWith("f.json:2:23: invalid string: control character")));
}

TEST(Document, refuses_a_key_that_stands_twice) {
  EXPECT_THAT(problems_of("{\n\"a\": 1,\n\"b\": {\"c\": 1,\n\"c\": 2},\n\"a\": 3}"),
              ElementsAre("f.json:4: b.c: stands here for the second time; the first is in line 3",
                          "f.json:5: a: stands here for the second time; the first is in line 2"));
}

TEST(Document, says_which_file_it_cannot_read) {
  Problems problems;
  (void)Document::from_file("/nonexistent/x.json", problems);
  (void)Document::from_file("/", problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(to_string(problems[0]),
            "/nonexistent/x.json: cannot be read: No such file or directory");
  EXPECT_EQ(to_string(problems[1]), "/: cannot be read: Is a directory");
}

TEST(Document, refuses_deep_nesting) {
  EXPECT_THAT(problems_of(std::string(100'000, '[')),
              ElementsAre("f.json:1:65: is nested too deeply"));
}

// SIGHUP reads files again, and a pipe in the place of one would hold the node for ever.
TEST(ReadFile, waits_for_no_pipe_and_reads_no_device) {
  const fixkeep::test::TemporaryFolder folder;
  const auto pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text;
  EXPECT_EQ(read_file(pipe, text), "it is no regular file");
  EXPECT_EQ(read_file("/dev/zero", text), "it is no regular file");
  EXPECT_EQ(read_file(folder.path().string(), text), "Is a directory");
  EXPECT_EQ(read_file((folder.path() / "none").string(), text), "No such file or directory");
  const auto large = (folder.path() / "large").string();
  std::ofstream{large} << std::string(read_bytes_most + 1, ' ');
  EXPECT_EQ(read_file(large, text), "it has more than 4 MiB");
  EXPECT_EQ(read_file("/proc/self/comm", text), "");
  EXPECT_NE(text, "");
}

}  // namespace
}  // namespace fixkeep::config
