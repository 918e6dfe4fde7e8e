#include "worker/keeper/plan.hpp"

#include <charconv>
#include <type_traits>

namespace fixkeep::worker::keeper {
namespace {

// One entry a field, or a member of a list: a letter, the value, NUL. No value can contain NUL,
// since the operating system could not pass it on. Letters are never used for something else.
constexpr char letter_of_text = 'T';  // of a file, after its path

struct Writer {
  std::string& out;

  void operator()(char letter, const std::string& value) const {
    out += letter;
    out += value;
    out += '\0';
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(char letter, const Number& value) const {
    (*this)(letter, std::to_string(value));
  }
  void operator()(char letter, const std::chrono::milliseconds& value) const {
    (*this)(letter, value.count());
  }
  void operator()(char letter, Keep value) const { (*this)(letter, static_cast<int>(value)); }
  void operator()(char letter, const std::vector<Plan::File>& files) const {
    for (const Plan::File& file : files) {
      (*this)(letter, file.path);
      (*this)(letter_of_text, file.text);
    }
  }
  template <class Value>
  void operator()(char letter, const std::vector<Value>& values) const {
    for (const Value& value : values) (*this)(letter, value);
  }
};

// Takes one entry; only the field of its letter changes.
struct Reader {
  char letter;
  std::string_view value;
  bool& good;

  void operator()(char which, std::string& field) const {
    if (which == letter) field = value;
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(char which, Number& field) const {
    if (which != letter) return;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    good = good && error == std::errc{} && end == value.data() + value.size();
    field = static_cast<Number>(number);
    good = good && static_cast<std::int64_t>(field) == number;
  }
  void operator()(char which, std::chrono::milliseconds& field) const {
    std::chrono::milliseconds::rep count = field.count();
    (*this)(which, count);
    field = std::chrono::milliseconds{count};
  }
  void operator()(char which, Keep& field) const {
    auto number = static_cast<std::uint8_t>(field);
    (*this)(which, number);
    field = static_cast<Keep>(number);
  }
  void operator()(char which, std::vector<Plan::File>& files) const {
    if (letter == which) files.push_back({std::string{value}, {}});
    if (letter != letter_of_text) return;
    good = good && !files.empty();
    if (good) files.back().text = value;
  }
  template <class Value>
  void operator()(char which, std::vector<Value>& fields) const {
    if (which == letter) (*this)(which, fields.emplace_back());
  }
};

// Any bytes, as digits of which none is NUL.
std::string to_digits(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += digits[byte >> 4U];
    text += digits[byte & 0xfU];
  }
  return text;
}

std::optional<std::string> from_digits(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (; !text.empty(); text.remove_prefix(2)) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

template <class Fields, class Which>
void visit(const Fields& fields, Which& plan, auto& user, auto& note) {
  fields('p', plan.program);
  fields('a', plan.arguments);
  fields('e', plan.environment);
  fields('f', plan.working_folder);
  fields('P', plan.place);
  fields('r', plan.own_folder);
  fields('y', plan.keep);
  fields('d', plan.daemon);
  fields('t', plan.terminal);
  fields('v', plan.follow);
  fields('n', plan.open_files);
  fields('F', plan.files);
  fields('N', note);
  fields('c', plan.cgroup);
  fields('M', plan.limits.memory_mib);
  fields('Q', plan.limits.processes);
  fields('W', plan.limits.cpu_weight);
  fields('o', plan.output);
  fields('b', plan.output_bytes);
  fields('x', plan.record);
  fields('w', plan.alone);
  fields('k', plan.grace);
  fields('u', user.user);
  fields('g', user.group);
  fields('s', user.groups);
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string text;
  const Plan::User user = plan.user.value_or(Plan::User{});
  const std::string note = to_digits(plan.note);
  visit(Writer{text}, plan, user, note);
  Writer{text}('U', plan.user.has_value());
  return text;
}

std::optional<Plan> to_plan(std::string_view text) {
  Plan plan;
  Plan::User user;
  bool good = !text.empty() && text.back() == '\0';
  bool has_user = false;
  std::string note;
  while (good && !text.empty()) {
    const auto end = text.find('\0');
    if (end == 0) return std::nullopt;
    const Reader reader{text.front(), text.substr(1, end - 1), good};
    visit(reader, plan, user, note);
    reader('U', has_user);
    text.remove_prefix(end + 1);
  }
  if (!good || plan.program.empty() || plan.arguments.empty()) return std::nullopt;
  auto bytes = from_digits(note);
  if (!bytes) return std::nullopt;
  plan.note = std::move(*bytes);
  if (has_user) plan.user = std::move(user);
  return plan;
}

}  // namespace fixkeep::worker::keeper
