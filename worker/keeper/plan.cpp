#include "worker/keeper/plan.hpp"

#include <charconv>
#include <type_traits>

#include "worker/keeper/texts.hpp"

namespace fixkeep::worker::keeper {
namespace {

// One entry a field, or a member of a list: a letter and the value, as texts.hpp has texts. Letters
// are never used for something else.
constexpr char letter_of_text = 'T';  // of a file, after its path

struct Writer {
  std::string& out;

  void operator()(char letter, const std::string& value) const {
    out += letter;
    append_text(out, value);
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(char letter, const Number& value) const {
    (*this)(letter, std::to_string(value));
  }
  void operator()(char letter, const std::chrono::milliseconds& value) const {
    (*this)(letter, value.count());
  }
  void operator()(char letter, KeepFolder value) const { (*this)(letter, static_cast<int>(value)); }
  void operator()(char letter, const std::vector<GameFile>& files) const {
    for (const GameFile& file : files) {
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
    std::conditional_t<std::is_same_v<Number, bool>, std::uint8_t, Number> number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    good = good && error == std::errc{} && end == value.data() + value.size();
    field = static_cast<Number>(number);
    good = good && static_cast<decltype(number)>(field) == number;
  }
  void operator()(char which, std::chrono::milliseconds& field) const {
    std::chrono::milliseconds::rep count = field.count();
    (*this)(which, count);
    field = std::chrono::milliseconds{count};
  }
  void operator()(char which, KeepFolder& field) const {
    auto number = static_cast<std::uint8_t>(field);
    (*this)(which, number);
    field = static_cast<KeepFolder>(number);
  }
  void operator()(char which, std::vector<GameFile>& files) const {
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

template <class Fields, class Which>
void visit(const Fields& fields, Which& plan, auto& user) {
  fields('p', plan.program);
  fields('a', plan.game.command);
  fields('e', plan.game.environment);
  fields('f', plan.game.working_folder);
  fields('P', plan.place);
  fields('r', plan.own_folder);
  fields('y', plan.game.keep_folder);
  fields('d', plan.game.daemon);
  fields('t', plan.game.terminal);
  fields('v', plan.follow);
  fields('n', plan.game.open_files);
  fields('F', plan.game.files);
  fields('c', plan.cgroup);
  fields('M', plan.game.limits.memory_mib);
  fields('Q', plan.game.limits.processes);
  fields('W', plan.game.limits.cpu_weight);
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
  visit(Writer{text}, plan, user);
  Writer{text}('U', plan.user.has_value());
  return text;
}

std::optional<Plan> to_plan(std::string_view text) {
  Plan plan;
  Plan::User user;
  bool good = true;
  bool has_user = false;
  while (good && !text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    const auto value = take_text(text);
    if (!value) return std::nullopt;
    const Reader reader{letter, *value, good};
    visit(reader, plan, user);
    reader('U', has_user);
  }
  if (!good || plan.program.empty() || plan.game.command.empty()) return std::nullopt;
  if (has_user) plan.user = std::move(user);
  return plan;
}

}  // namespace fixkeep::worker::keeper
