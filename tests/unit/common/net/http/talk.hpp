// Conversations with a server, for tests that are text (tests/support/scripts.hpp):
//
//   GET /a HTTP/1.1 | Host: h      a request whose lines " | " parts, on a new connection; the
//   empty
//                                  line at its end is added, and what stands behind " || " is the
//                                  body
//   >> TEXT                        bytes as they stand (bytes_of), on a new connection; no answer
//   is read
//   + REQUEST, + >> TEXT           the same on the connection that there is
//   + read                         another answer
//   + pause                        what follows comes apart from what was sent
//   each A $ B                     "$ TEXT" is from now on A TEXT B
//   from 127.0.0.2                 is the address of the connections that follow
//
// An answer is its status and its body, or the name of its problem, and "closed" where its
// connection has ended with it. Behind " ?? " stand the fields that it shows as well, and "detail",
// which is that of a problem. A connection that goes on has to answer a further GET before there is
// a new one.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/scripts.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {

class HttpTalk : public support::ScriptDriver {
 public:
  // `further`: what a connection that goes on is asked in the end; empty: nothing.
  explicit HttpTalk(std::string further = "/further") : further_(std::move(further)) {}
  HttpTalk(const HttpTalk&) = delete;
  HttpTalk& operator=(const HttpTalk&) = delete;
  ~HttpTalk() override {
    if (sender_.joinable()) sender_.join();
  }

  std::string run(std::string_view line) override {
    std::string text{line};
    if (text.starts_with("each ")) return each_ = text.substr(5), "";
    if (text.starts_with("$ ")) {
      text = std::string{each_}.replace(each_.find('$'), 1, text.substr(2));
    }
    std::string fields;
    if (const auto at = text.find(" ?? "); at != std::string::npos) {
      fields = text.substr(at + 4);
      text.resize(at);
    }
    if (text.starts_with("from ")) return from_ = text.substr(5), "";
    if (text.starts_with("+ ")) {
      text.erase(0, 2);
    } else {
      renew();
    }
    if (text == "pause") return std::this_thread::sleep_for(std::chrono::milliseconds{100}), "";
    if (text.starts_with(">> ")) return send(support::bytes_of(text.substr(3))), "";
    if (text != "read") send(head_of(text));
    return answer(fields);
  }
  std::string end() override { return renew(), ""; }

 protected:
  [[nodiscard]] virtual std::uint16_t port() = 0;
  // Ends the connection, and holds the server to it where it should go on.
  void renew() {
    if (client_ && goes_on_ && !further_.empty()) {
      client_->send(get(further_));
      EXPECT_EQ(client_->read_answer().substr(0, 15), "HTTP/1.1 200 OK");
    }
    if (client_ && !goes_on_) EXPECT_EQ(client_->read_to_end(), "");
    if (sender_.joinable()) sender_.join();
    client_.reset();
    goes_on_ = false;
  }

 private:
  static std::string head_of(std::string_view text) {
    constexpr std::string_view between = " | ";
    std::string head;
    std::string body;
    if (const auto at = text.find(" || "); at != std::string_view::npos) {
      body = support::bytes_of(text.substr(at + 4));
      text = text.substr(0, at);
    }
    while (true) {
      const auto end = std::min(text.find(between), text.size());
      head += support::bytes_of(text.substr(0, end)) + "\r\n";
      if (end == text.size()) return head + "\r\n" + body;
      text.remove_prefix(end + between.size());
    }
  }

  // Much of it goes out beside the reading of an answer that may come before its end.
  void send(const std::string& bytes) {
    if (!client_) client_.emplace(port(), from_.c_str());
    if (sender_.joinable()) sender_.join();
    without_body_ = bytes.starts_with("HEAD ");
    if (bytes.size() < 10'000) return client_->send(bytes);
    sender_ = std::thread{[this, bytes] { client_->send(bytes); }};
  }

  static std::optional<std::string> field(const std::string& head, const std::string& name) {
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return std::nullopt;
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }

  std::string answer(const std::string& fields) {
    const auto head = client_->read_until("\r\n\r\n");
    if (head.size() < 12) return head.empty() ? "closed" : head;
    const auto length = field(head, "Content-Length");
    std::string body;
    if (length && !without_body_) body = client_->read_bytes(std::stoul(*length));
    const auto part = [&](std::string_view after) {
      const auto at = body.find(after);
      if (at == std::string::npos) return std::string{};
      const auto begin = at + after.size();
      return body.substr(begin, body.find('"', begin) - begin);
    };
    std::string text = head.substr(9, 3);
    support::Words names{fields};
    while (!names.done()) {
      const auto name = names.next();
      auto value = name == "detail" ? part("\"detail\":\"") : field(head, name);
      if (name == "Date" && value) value = "now";
      text += " [" + (value ? name + ": " + *value : "no " + name) + "]";
    }
    const bool interim = head[9] == '1';
    if (const auto problem = part("urn:fixkeep:error:"); !problem.empty()) {
      text += " " + problem;
    } else if (!body.empty()) {
      text += " " + support::shown(body.size() > 200 ? std::to_string(body.size()) : body);
    }
    const auto connection = field(head, "Connection");
    goes_on_ = connection != "close" && !interim;
    if (connection != "close") return text;
    const auto more = client_->read_to_end();
    return text + (more.empty() ? " closed" : " and more: " + support::shown(more));
  }

  const std::string further_;
  std::string each_;
  std::string from_ = "127.0.0.1";
  std::optional<Client> client_;
  bool goes_on_ = false;
  bool without_body_ = false;
  std::thread sender_;
};

}  // namespace fixkeep::net::test
