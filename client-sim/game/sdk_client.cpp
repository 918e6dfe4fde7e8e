#include "client-sim/game/sdk_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace fixkeep::game {
namespace {

constexpr std::size_t answer_bytes = 64U << 10U;

bool not_now() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINPROGRESS;
}

// Returns the header's value; empty if the header is missing. Ignores the case of its name.
std::string_view header(std::string_view head, std::string_view lower_name) {
  while (!head.empty()) {
    const auto end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    if (line.size() <= lower_name.size() || line[lower_name.size()] != ':') continue;
    bool same = true;
    for (std::size_t i = 0; i < lower_name.size(); ++i) {
      const char c = line[i];
      same = same && (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == lower_name[i];
    }
    if (!same) continue;
    std::string_view value = line.substr(lower_name.size() + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

}  // namespace

SdkClient::SdkClient(SdkAddress address) : address_(std::move(address)) {
  if (address_.port != 0) dial();
}

void SdkClient::dial() {
  if (socket_ >= 0) close(socket_);
  ++dials_;
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(address_.port);
  address.sin_addr.s_addr = htonl(address_.host);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket_, generic, sizeof(address)) == 0 || not_now()) return;
  if (errno != ECONNREFUSED) {
    broken_ = true;
  } else {
    refused();
  }
}

// Handles a refused dial: the worker has not received the call.
void SdkClient::refused() {
  const auto now = Clock::now();
  close(std::exchange(socket_, -1));
  if (!refused_since_) refused_since_ = now;
  if (now - *refused_since_ >= patience) {
    broken_ = true;
  } else {
    next_dial_ = now + between_dials;
  }
}

void SdkClient::look_at_clock(Clock::time_point now) {
  if (!next_dial_ || now < *next_dial_) return;
  next_dial_.reset();
  if (address_.port == 0) return answer_all(true);
  dial();
  if (under_way_) unsent_ = calls_.front().bytes;
  if (broken_) fail();
}

SdkClient::~SdkClient() {
  if (socket_ >= 0) close(socket_);
}

void SdkClient::lost() {
  if (++fruitless_ > most_fruitless) {
    broken_ = true;
    return;
  }
  received_.clear();
  dial();
  if (!under_way_) return;
  repeated_ = true;
  unsent_ = calls_.front().bytes;
}

void SdkClient::call(std::string_view path, std::string body, Answered answered) {
  std::string bytes = "POST ";
  bytes += path;
  bytes += " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  if (!address_.token.empty()) bytes += "Authorization: Bearer " + address_.token + "\r\n";
  bytes += "Content-Length: ";
  bytes += std::to_string(body.size());
  bytes += "\r\n\r\n";
  bytes += body;
  calls_.push_back({std::move(bytes), std::move(answered)});
  start_next();
}

void SdkClient::start_next() {
  if (address_.port == 0) {
    next_dial_ = Clock::now();
    return;
  }
  if (broken_) return fail();
  if (under_way_ || calls_.empty()) return;
  under_way_ = true;
  repeated_ = false;
  unsent_ = calls_.front().bytes;
  if (socket_ >= 0) write_some();
}

void SdkClient::serve() {
  if (socket_ >= 0 && !unsent_.empty()) write_some();
  if (socket_ >= 0 && !broken_) read_some();
  if (broken_) fail();
}

void SdkClient::write_some() {
  const ssize_t sent = send(socket_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    unsent_.erase(0, static_cast<std::size_t>(sent));
  } else if (errno == ECONNREFUSED) {
    refused();
  } else if (!not_now() && errno != ENOTCONN) {
    lost();
  }
}

void SdkClient::read_some() {
  std::array<char, 4096> buffer{};
  const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
  if (got > 0 && received_.size() < answer_bytes) {
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    while (take_answer()) continue;
  } else if (got > 0) {
    broken_ = true;
  } else if (got < 0 && errno == ECONNREFUSED) {
    refused();
  } else if (got == 0 || (!not_now() && errno != ENOTCONN)) {
    lost();
  }
}

bool SdkClient::take_answer() {
  const auto head_end = received_.find("\r\n\r\n");
  if (head_end == std::string::npos || !under_way_) return false;
  const std::string_view head = std::string_view{received_}.substr(0, head_end + 2);
  const std::string_view length = header(head, "content-length");
  std::size_t body_bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), body_bytes);
  if (received_.size() - head_end - 4 < body_bytes) return false;
  const std::string_view body = std::string_view{received_}.substr(head_end + 4, body_bytes);
  const bool refused = body.find(R"("bool":false)") != body.npos && !repeated_;
  const bool ok = head.starts_with("HTTP/1.1 200") && !refused;
  fruitless_ = 0;
  refused_since_.reset();
  received_.erase(0, head_end + 4 + body_bytes);
  const Answered answered = std::move(calls_.front().answered);
  calls_.pop_front();
  under_way_ = false;
  if (answered) answered(ok);
  start_next();
  return true;
}

void SdkClient::fail() {
  broken_ = true;
  unsent_.clear();
  answer_all(false);
}

void SdkClient::answer_all(bool ok) {
  for (auto calls = std::exchange(calls_, {}); const Call& call : calls) {
    if (call.answered) call.answered(ok);
  }
}

std::string player_body(std::string_view player) {
  std::string body = R"({"playerID":")";
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : player) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      body += '\\';
      body += c;
    } else if (byte < 0x20) {
      body += "\\u00";
      body += digits[byte >> 4U];
      body += digits[byte & 15U];
    } else {
      body += c;
    }
  }
  return body + "\"}";
}

}  // namespace fixkeep::game
