#include "common/net/http/answer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

namespace fixkeep::net {
namespace {

// Forbids browsers to guess the answer's type from its bytes.
constexpr std::string_view no_sniffing = "\r\nX-Content-Type-Options: nosniff";

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

bool has_no_body(unsigned status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

void write_answer(const HttpAnswer& answer, const HttpAnswerForm& form, std::string& out) {
  out.assign("HTTP/1.1 ");
  append_number(out, answer.status);
  out += ' ';
  const auto reason = http::obsolete_reason(http::int_to_status(answer.status));
  out.append(reason.data(), reason.size());
  out += "\r\nDate: ";
  out += form.date;
  if (!has_no_body(answer.status)) {
    out += "\r\nContent-Type: ";
    out += answer.content_type;
    out += no_sniffing;
    out += "\r\nContent-Length: ";
    append_number(out, answer.body.size());
  }
  if (answer.retry_after_seconds != 0) {
    out += "\r\nRetry-After: ";
    append_number(out, answer.retry_after_seconds);
  }
  if (!answer.location.empty()) out.append("\r\nLocation: ").append(answer.location);
  if (!answer.etag.empty()) out.append("\r\nETag: ").append(answer.etag);
  if (!answer.allow.empty()) {
    out += "\r\nAllow: ";
    out += answer.allow;
  }
  for (const auto challenge : answer.authenticate) {
    out += "\r\nWWW-Authenticate: ";
    out += challenge;
  }
  if (!answer.request_id.empty()) {
    out += "\r\nX-Request-Id: ";
    out += answer.request_id;
  }
  out += answer.fields;
  out += form.fields;
  if (!form.keep_alive) {
    out += "\r\nConnection: close";
  } else if (form.old_client) {
    out += "\r\nConnection: keep-alive";
  }
  out += "\r\n\r\n";
  if (!form.head_only && !has_no_body(answer.status)) out += answer.body;
}

void write_stream_head(std::string_view content_type, std::string_view date,
                       std::string_view fields, std::string& out) {
  out = "HTTP/1.1 200 OK\r\nDate: ";
  out += date;
  out += "\r\nContent-Type: ";
  out += content_type;
  out += no_sniffing;
  out += "\r\nCache-Control: no-store\r\nX-Accel-Buffering: no";
  out += fields;
  out += "\r\nConnection: close\r\n\r\n";
}

std::string http_date() {
  // Names of days and months are in English for every locale.
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)));
}

HttpAnswer problem(unsigned status, std::string_view type, std::string_view title,
                   std::string_view detail) {
  const nlohmann::ordered_json body{{"type", "urn:fixkeep:error:" + std::string{type}},
                                    {"title", title},
                                    {"status", status},
                                    {"detail", detail}};
  HttpAnswer answer;
  answer.status = status;
  answer.content_type = "application/problem+json";
  // `detail` may quote a client's bytes. Invalid UTF-8 is replaced, so it causes no exception.
  answer.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return answer;
}

}  // namespace fixkeep::net
