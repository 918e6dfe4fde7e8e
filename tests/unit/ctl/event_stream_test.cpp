#include "ctl/node/event_stream.hpp"

#include <gtest/gtest.h>

namespace fixkeep::ctl {
namespace {

std::string read(const std::vector<std::string>& parts, std::size_t events_most = 100) {
  EventStream stream;
  std::string all;
  std::size_t events = 0;
  for (const auto& part : parts) {
    const bool more = stream.take(part, [&](const std::string& id, const std::string& data) {
      all += id + ":" + data + ";";
      return ++events < events_most;
    });
    if (!more) return all + "enough";
  }
  return all;
}

TEST(EventStream, has_the_events_of_a_stream_however_it_is_cut) {
  const std::string text =
      ": hello\n\nid: 1\nevent: change\ndata: {\"a\":1}\n\nid:2\r\ndata:b\r\ndata: c\r\n\r\n";
  const std::string wanted = "1:{\"a\":1};2:b\nc;";
  EXPECT_EQ(read({text}), wanted);
  std::vector<std::string> bytes;
  for (const char byte : text) bytes.emplace_back(1, byte);
  EXPECT_EQ(read(bytes), wanted);
}

TEST(EventStream, keeps_what_is_not_complete_and_the_id_of_the_one_before) {
  EXPECT_EQ(read({"data: a\n"}), "");
  EXPECT_EQ(read({"id: 7\ndata: a\n\ndata: b\n\n"}), "7:a;7:b;");
  EXPECT_EQ(read({"data: a\n\ndata: b\n\n"}, 1), ":a;enough");
}

TEST(EventStream, says_when_an_event_has_no_end) {
  EventStream stream;
  const std::string much(EventStream::event_bytes_most, 'x');
  EXPECT_TRUE(stream.take(much, [](const auto&, const auto&) { return true; }));
  EXPECT_FALSE(stream.too_long());
  EXPECT_TRUE(stream.take("x", [](const auto&, const auto&) { return true; }));
  EXPECT_TRUE(stream.too_long());
}

}  // namespace
}  // namespace fixkeep::ctl
