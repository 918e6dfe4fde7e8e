// The server as RFC 9110 and RFC 9112 want it: the conversations of requirements.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

struct Conversation {
  std::string requirement;
  std::vector<std::string> lines;
};

std::vector<Conversation> conversations() {
  std::ifstream file{FIXKEEP_REQUIREMENTS};
  std::vector<Conversation> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      all.push_back({line.substr(3), {}});
    } else if (!line.empty() && !line.starts_with('#')) {
      all.back().lines.push_back(line);
    }
  }
  return all;
}

// "a\r{x*3}" becomes "a", CR, "xxx".
std::string bytes_of(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const char first = text.front();
    const auto close = text.find('}');
    if (first == '\\' && text.substr(1, 1) == "x") {
      bytes += static_cast<char>(std::strtol(std::string{text.substr(2, 2)}.c_str(), nullptr, 16));
      text.remove_prefix(4);
    } else if (first == '\\') {
      constexpr std::string_view names = "rnt\\";
      bytes += "\r\n\t\\"[names.find(text.at(1))];
      text.remove_prefix(2);
    } else if (first == '{' && text.substr(2, 1) == "*" && close != std::string_view::npos) {
      bytes.append(std::stoul(std::string{text.substr(3, close - 3)}), text[1]);
      text.remove_prefix(close + 1);
    } else {
      bytes += first;
      text.remove_prefix(1);
    }
  }
  return bytes;
}

class Talk {
 public:
  explicit Talk(std::uint16_t port) : client_(port) {}

  // What is wrong with the server's part; empty: nothing.
  std::string hold(const std::vector<std::string>& lines) {
    bool closed = false;
    for (const auto& line : lines) {
      closed = line == "closed";
      if (!closed) take(line);
    }
    flush();
    if (closed) {
      if (!head_.empty()) (void)body();
      const auto more = client_.read_to_end();
      expect(more.empty(), "nothing more", more);
    } else {
      client_.send(get("/further"));
      expect_that_begins(client_.read_answer(), "HTTP/1.1 200 OK\r\n");
    }
    return wrong_;
  }

 private:
  void take(std::string_view line) {
    const auto blank = std::min(line.find(' '), line.size());
    const auto what = line.substr(0, blank);
    const auto text = line.substr(std::min(blank + 1, line.size()));
    if (what == ">" || what == ">>") {
      to_send_ += bytes_of(text) + (what == ">" ? "\r\n" : "");
    } else if (line == "pause") {
      flush();
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    } else if (what == "<" && text.starts_with("HTTP/")) {
      flush();
      head_ = client_.read_until("\r\n\r\n");
      body_.reset();
      expect_that_begins(head_, text);
    } else if (what == "<") {
      expect(head_.find("\r\n" + std::string{text}) != std::string::npos, text, head_);
    } else if (what == "<!") {
      expect(head_.find("\r\n" + std::string{text} + ":") == std::string::npos, "no field", head_);
    } else if (line == "=") {
      body_.emplace();  // nothing is read: a body would be taken for the next answer
    } else if (what == "=") {
      expect(body() == text, text, body());
    } else if (what == "~") {
      expect(body().find(text) != std::string::npos, text, body());
    } else {
      expect(false, "a line of a conversation", line);
    }
  }

  void flush() {
    if (!to_send_.empty()) client_.send(std::exchange(to_send_, {}));
  }

  const std::string& body() {
    if (body_) return *body_;
    constexpr std::string_view field = "\r\nContent-Length: ";
    const auto at = head_.find(field);
    const auto length = at == std::string::npos ? 0 : std::stoul(head_.substr(at + field.size()));
    return body_.emplace(client_.read_bytes(length));
  }

  void expect_that_begins(const std::string& said, std::string_view beginning) {
    expect(said.starts_with(beginning), beginning, said);
  }
  void expect(bool holds, std::string_view wanted, std::string_view found) {
    if (holds) return;
    wrong_.append("wanted \"").append(wanted).append("\", found \"").append(found).append("\"\n");
  }

  Client client_;
  std::string to_send_;
  std::string head_;
  std::optional<std::string> body_;
  std::string wrong_;
};

TEST(HttpServer, keeps_what_the_standards_require_of_it) {
  RunningServer server{[](const HttpRequest& request, const HttpResponder& responder) {
    responder.answer(
        text(std::string{request.method_string()} + " " + std::string{request.target()} +
             " host=" + std::string{request[http::field::host]} + " body=" + request.body()));
  }};
  const auto all = conversations();
  EXPECT_GT(all.size(), 60U);
  for (const auto& [requirement, lines] : all) {
    EXPECT_EQ(Talk{server.port()}.hold(lines), "") << requirement;
  }
}

}  // namespace
}  // namespace fixkeep::net::test
