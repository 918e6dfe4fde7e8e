#include "worker/keeper/plan.hpp"

#include <utility>

#include "worker/keeper/entries.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr char letter_of_text = 'T';  // text of a file, after the file's path

struct Writer : EntryWriter {
  using EntryWriter::operator();

  void operator()(char letter, KeepFolder value) const { (*this)(letter, static_cast<int>(value)); }
  void operator()(char letter, const std::vector<GameFile>& files) const {
    for (const GameFile& file : files) {
      (*this)(letter, file.path);
      (*this)(letter_of_text, file.text);
    }
  }
};

struct Reader : EntryReader {
  using EntryReader::operator();

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
};

void visit(const auto& fields, auto& plan, auto& user) {
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
  fields('B', plan.beside);
  fields('L', plan.beside_port);
  fields('F', plan.game.files);
  fields('c', plan.cgroup);
  fields('M', plan.game.limits.memory_mib);
  fields('Q', plan.game.limits.processes);
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
  visit(Writer{{text}}, plan, user);
  EntryWriter{text}('U', plan.user.has_value());
  return text;
}

std::optional<Plan> to_plan(std::string_view text) {
  Plan plan;
  Plan::User user;
  bool has_user = false;
  const bool good = read_entries(text, [&](const EntryReader& entry) {
    const Reader reader{entry};
    visit(reader, plan, user);
    reader('U', has_user);
  });
  if (!good || plan.program.empty() || plan.game.command.empty()) return std::nullopt;
  if (has_user) plan.user = std::move(user);
  return plan;
}

}  // namespace fixkeep::worker::keeper
