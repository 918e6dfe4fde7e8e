#include "worker/keeper/plan.hpp"

#include <charconv>
#include <type_traits>

namespace fixkeep::worker::keeper {
namespace {

// One entry a field, or a member of a list: a letter, the value, NUL. No value can contain NUL,
// since the operating system could not pass it on. Letters are never used for something else.
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
  template <class Value>
  void operator()(char which, std::vector<Value>& fields) const {
    if (which == letter) (*this)(which, fields.emplace_back());
  }
};

template <class Fields, class Which>
void visit(const Fields& fields, Which& plan, auto& user) {
  fields('p', plan.program);
  fields('a', plan.arguments);
  fields('e', plan.environment);
  fields('f', plan.working_folder);
  fields('r', plan.own_folder);
  fields('y', plan.keep);
  fields('d', plan.daemon);
  fields('t', plan.terminal);
  fields('v', plan.follow);
  fields('n', plan.open_files);
  fields('c', plan.cgroup);
  fields('o', plan.output);
  fields('b', plan.output_bytes);
  fields('x', plan.record);
  fields('w', plan.alone);
  fields('k', plan.grace);
  fields('l', plan.listeners);
  fields('u', user.user);
  fields('g', user.group);
  fields('s', user.groups);
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string text;
  const Plan::User user = plan.user.value_or(Plan::User{});
  visit(Writer{text}, plan, user);
  Writer{text}('U', plan.user.has_value());
  return text;
}

std::optional<Plan> to_plan(std::string_view text) {
  Plan plan;
  Plan::User user;
  bool good = !text.empty() && text.back() == '\0';
  bool has_user = false;
  while (good && !text.empty()) {
    const auto end = text.find('\0');
    if (end == 0) return std::nullopt;
    const Reader reader{text.front(), text.substr(1, end - 1), good};
    visit(reader, plan, user);
    reader('U', has_user);
    text.remove_prefix(end + 1);
  }
  if (!good || plan.program.empty() || plan.arguments.empty()) return std::nullopt;
  if (has_user) plan.user = std::move(user);
  return plan;
}

}  // namespace fixkeep::worker::keeper
