#include "ctl/completion.hpp"

#include <ostream>
#include <string>

namespace fixkeep::ctl {
namespace {

// Prints one branch of the shell's `case`: the words that may follow these commands.
void print_words(const CLI::App& app, const std::string& path, std::ostream& out) {
  out << "    \"" << path << "\") words=\"";
  for (const CLI::App* const each : app.get_subcommands({})) out << each->get_name() << ' ';
  for (const CLI::Option* const each : app.get_options()) {
    for (const std::string& name : each->get_lnames()) out << "--" << name << ' ';
  }
  out << "\" ;;\n";
  for (const CLI::App* const each : app.get_subcommands({})) {
    print_words(*each, path + " " + each->get_name(), out);
  }
}

// The printed script ignores options and other words that are not commands.
void print_script(const CLI::App& app, std::ostream& out) {
  out << "# fixkeepctl for bash: source <(fixkeepctl completion)\n"
         "_fixkeepctl() {\n"
         "  local path=\"\" words=\"\" word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$path $word\" in\n";
  const auto print_paths = [&](const auto& self, const CLI::App& of,
                               const std::string& path) -> void {
    for (const CLI::App* const each : of.get_subcommands({})) {
      const std::string inner = path + " " + each->get_name();
      out << "      \"" << inner << "\") path=\"" << inner << "\" ;;\n";
      self(self, *each, inner);
    }
  };
  print_paths(print_paths, app, "");
  out << "    esac\n"
         "  done\n"
         "  case \"$path\" in\n";
  print_words(app, "", out);
  out << "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
         "}\n"
         "complete -o default -F _fixkeepctl fixkeepctl\n";
}

}  // namespace

void add_completion(CLI::App& app, std::function<int(std::ostream& out, std::ostream& err)>& run) {
  CLI::App* const made = app.add_subcommand(
      "completion",
      "prints a script that completes commands in bash: source <(fixkeepctl completion)");
  made->callback([&app, &run] {
    run = [&app](std::ostream& out, std::ostream&) {
      print_script(app, out);
      return 0;
    };
  });
}

}  // namespace fixkeep::ctl
