#include "common/net/http/response_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fixkeep::net {
namespace {

constexpr std::uint64_t spent_per_body_byte = 16;

std::string in_lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view without_spaces_around(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  const auto last = text.find_last_not_of(" \t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
}

// Reads a number from a text that has only digits.
std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, wrong] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || wrong != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

class AnswerCategory final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "fixkeep.http"; }
  [[nodiscard]] std::string message(int code) const override {
    switch (static_cast<HttpAnswerError>(code)) {
      case HttpAnswerError::malformed: return "the answer is not HTTP/1.1";
      case HttpAnswerError::too_large: return "the answer is too large";
      case HttpAnswerError::cut_off: return "the answer was cut off";
    }
    return "an unknown error of HTTP";
  }
};

}  // namespace

boost::system::error_code make_error_code(HttpAnswerError error) noexcept {
  static const AnswerCategory category;
  return {static_cast<int>(error), category};
}

std::size_t HttpResponseReader::put(std::string_view input) {
  std::size_t taken = 0;
  while (!over() && taken < input.size()) taken += take(input.substr(taken));
  return taken;
}

std::size_t HttpResponseReader::take(std::string_view input) {
  const bool counted = part_ == Part::counted_body || part_ == Part::chunk;
  if (counted || part_ == Part::body_until_end) {
    const auto most = counted ? std::min<std::uint64_t>(input.size(), left_) : input.size();
    const auto bytes = static_cast<std::size_t>(most);
    if (bytes > limits_.body_bytes - body_.size()) {
      fail(HttpAnswerError::too_large);
      return 0;
    }
    body_.append(input.substr(0, bytes));
    body_seen_ += bytes;
    if (!counted) return bytes;
    left_ -= bytes;
    if (left_ == 0 && part_ == Part::counted_body) state_ = State::complete;
    if (left_ == 0 && part_ == Part::chunk) part_ = Part::chunk_end;
    return bytes;
  }
  const auto end = input.find('\n');
  const auto bytes = end == std::string_view::npos ? input.size() : end + 1;
  if (!spend(bytes)) return 0;
  line_.append(input.substr(0, bytes));
  if (end == std::string_view::npos) return bytes;
  if (!line_.ends_with("\r\n")) {
    fail(HttpAnswerError::malformed);
    return bytes;
  }
  const auto whole = std::exchange(line_, {});
  line(std::string_view{whole}.substr(0, whole.size() - 2));
  return bytes;
}

bool HttpResponseReader::spend(std::size_t bytes) {
  spent_ += bytes;
  const auto allowed = limits_.head_bytes + spent_per_body_byte * body_seen_;
  if (spent_ <= allowed && line_.size() + bytes <= limits_.head_bytes) return true;
  fail(HttpAnswerError::too_large);
  return false;
}

void HttpResponseReader::line(std::string_view text) {
  switch (part_) {
    case Part::status_line: return status_line(text);
    case Part::field: return text.empty() ? head_is_complete() : field_line(text);
    case Part::chunk_size: return chunk_size(text);
    case Part::chunk_end:
      part_ = Part::chunk_size;
      if (!text.empty()) fail(HttpAnswerError::malformed);
      return;
    case Part::trailer:
      if (text.empty()) state_ = State::complete;
      return;
    case Part::counted_body:
    case Part::body_until_end:
    case Part::chunk: return;  // these parts have no lines
  }
}

// Reads "HTTP/1.1 200 OK". The reason may be missing.
void HttpResponseReader::status_line(std::string_view text) {
  constexpr std::string_view version = "HTTP/1.";
  constexpr std::size_t status_at = 9;
  constexpr std::size_t reason_at = 12;
  const bool known = text.size() >= reason_at && text.starts_with(version) &&
                     (text[7] == '0' || text[7] == '1') && text[8] == ' ' &&
                     (text.size() == reason_at || text[reason_at] == ' ') && is_text(text);
  const auto status = known ? number(text.substr(status_at, 3), 10) : std::nullopt;
  if (!status || *status < 100 || *status > 599) return fail(HttpAnswerError::malformed);
  http_1_0_ = text[7] == '0';
  status_ = static_cast<unsigned>(*status);
  part_ = Part::field;
}

void HttpResponseReader::field_line(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto name = text.substr(0, colon);
  if (colon == text.size() || !is_token(name) || !is_text(text)) {
    return fail(HttpAnswerError::malformed);
  }
  fields_.emplace_back(in_lower_case(name), without_spaces_around(text.substr(colon + 1)));
}

void HttpResponseReader::head_is_complete() {
  constexpr unsigned switching_protocols = 101;
  if (status_ == switching_protocols)
    return fail(HttpAnswerError::malformed);  // an unrequested protocol switch
  if (status_ < 200) {
    fields_.clear();
    part_ = Part::status_line;
    return;
  }
  state_ = State::body;
  const auto count = [this](std::string_view name) {
    return std::count_if(fields_.begin(), fields_.end(),
                         [&](const auto& each) { return each.first == name; });
  };
  const auto lengths = count("content-length");
  const auto codings = count("transfer-encoding");
  if (lengths + codings > 1) return fail(HttpAnswerError::malformed);
  if (status_ == 204 || status_ == 304) {
    state_ = State::complete;
  } else if (codings == 1) {
    const bool chunked = in_lower_case(field("transfer-encoding")) == "chunked";
    if (!chunked || http_1_0_) return fail(HttpAnswerError::malformed);
    part_ = Part::chunk_size;
  } else if (lengths == 1) {
    const auto length = number(field("content-length"), 10);
    if (!length) return fail(HttpAnswerError::malformed);
    if (!limits_.stream && *length > limits_.body_bytes) return fail(HttpAnswerError::too_large);
    left_ = *length;
    part_ = Part::counted_body;
    if (left_ == 0) state_ = State::complete;
  } else {
    part_ = Part::body_until_end;
  }
}

// Reads "1a2b", possibly with ";name=value".
void HttpResponseReader::chunk_size(std::string_view text) {
  const auto size = number(without_spaces_around(text.substr(0, text.find(';'))), 16);
  if (!size) return fail(HttpAnswerError::malformed);
  if (!limits_.stream && *size > limits_.body_bytes) return fail(HttpAnswerError::too_large);
  left_ = *size;
  part_ = left_ == 0 ? Part::trailer : Part::chunk;
}

void HttpResponseReader::put_end() {
  if (over()) return;
  if (part_ == Part::body_until_end) {
    state_ = State::complete;
  } else {
    fail(HttpAnswerError::cut_off);
  }
}

std::string_view HttpResponseReader::field(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == fields_.end() ? std::string_view{} : std::string_view{found->second};
}

bool HttpResponseReader::keep_alive() const {
  if (part_ == Part::body_until_end) return false;
  const auto persistence = in_lower_case(field("connection"));
  return http_1_0_ ? persistence == "keep-alive" : persistence != "close";
}

void HttpResponseReader::fail(boost::system::error_code error) {
  error_ = error;
  state_ = State::failed;
  line_.clear();
  body_.clear();
}

}  // namespace fixkeep::net
