#include "common/base/trace_context.hpp"

#include <cstddef>

namespace fixkeep {
namespace {

// Offsets of the fields in version 00. Later versions keep them.
constexpr std::size_t trace_at = 3;
constexpr std::size_t span_at = 36;
constexpr std::size_t flags_at = 53;
constexpr std::size_t length = 55;
constexpr std::size_t digits_of_word = 16;

constexpr std::uint64_t newest_version = 0;
constexpr std::uint64_t forbidden_version = 0xFF;
constexpr std::uint64_t sampled_flag = 1;

// Upper-case digits are invalid too.
std::optional<std::uint64_t> lower_case_number(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) {
    const bool decimal = c >= '0' && c <= '9';
    if (!decimal && (c < 'a' || c > 'f')) return {};
    number = number << 4U | static_cast<std::uint64_t>(decimal ? c - '0' : c - 'a' + 10);
  }
  return number;
}

void append_word(std::uint64_t word, std::string& out) {
  for (unsigned shift = 64; shift > 0; shift -= 4) {
    out += "0123456789abcdef"[word >> (shift - 4) & 0xFU];
  }
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  if (header.size() < length) return {};
  if (header[trace_at - 1] != '-' || header[span_at - 1] != '-' || header[flags_at - 1] != '-') {
    return {};
  }
  const auto version = lower_case_number(header.substr(0, 2));
  if (!version || *version == forbidden_version) return {};
  const bool longer = header.size() > length;
  if (longer && (*version == newest_version || header[length] != '-')) return {};

  const auto high = lower_case_number(header.substr(trace_at, digits_of_word));
  const auto low = lower_case_number(header.substr(trace_at + digits_of_word, digits_of_word));
  const auto span = lower_case_number(header.substr(span_at, digits_of_word));
  const auto flags = lower_case_number(header.substr(flags_at, 2));
  if (!high || !low || !span || !flags) return {};
  const TraceContext context{{*high, *low}, *span, (*flags & sampled_flag) != 0};
  if (!context.valid()) return {};
  return context;
}

std::string to_traceparent(const TraceContext& context) {
  std::string text{"00-"};
  text.reserve(length);
  append_word(context.trace.high, text);
  append_word(context.trace.low, text);
  text += '-';
  append_word(context.span, text);
  text += context.sampled ? "-01" : "-00";
  return text;
}

std::string to_string(const TraceId& trace) {
  std::string text;
  append_word(trace.high, text);
  append_word(trace.low, text);
  return text;
}

std::string span_text(std::uint64_t span) {
  std::string text;
  append_word(span, text);
  return text;
}

}  // namespace fixkeep
