// Writes the manual page of a configuration file, section 5, from its schema: every key with its
// description. The page thus cannot disagree with the program.
//
// Usage: fixkeep-configuration-page SCHEMA PROGRAM VERSION >PROGRAM.json.5

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "common/config/schema.hpp"

namespace fixkeep {
namespace {

using config::Json;

// Escapes text for troff: a line must not begin with a request, and a typed hyphen must stay one.
std::string troff(const std::string& text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string with_capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text;
}

bool is_required(const Json& parent, const std::string& name) {
  const auto required = parent.find("required");
  return required != parent.end() &&
         std::find(required->begin(), required->end(), name) != required->end();
}

class Page {
 public:
  explicit Page(std::ostream& out) : out_(out) {}

  void head(const std::string& program, const std::string& version) {
    std::string title = program + ".json";
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    out_ << ".\\\" Made of what " << program << " --schema prints.\n"
         << ".TH " << troff(title) << " 5 \"\" \"FIX Keep " << version << "\"\n.nh\n.ad l\n"
         << ".SH NAME\n"
         << troff(program) << ".json \\- configuration of " << troff(program) << "\n"
         << ".SH DESCRIPTION\n"
         << "A file of JSON with // and /* */ comments, as it stands after\n.BR \\-\\-config .\n"
         << "An environment variable wins over the file, and\n.B \\-\\-set\nover both:\n"
         << ".B http.port\nis\n.B FIXKEEP_HTTP_PORT\nin the environment and\n"
         << ".B \\-\\-set http.port=8080\non the command line. Lists are given as JSON there.\n"
         << ".PP\nA file with mistakes ends the program with exit code 2 and a line for each.\n"
         << ".B \\-\\-check\nonly looks for them,\n.B \\-\\-print\nshows what is in effect.\n"
         << ".PP\nKeys are written as paths:\n.B modes[].name\n"
         << "is the key \"name\" in each entry of the list \"modes\".\n.SH KEYS\n";
  }

  void members(const Json& schema, const std::string& key) {
    const auto properties = schema.find("properties");
    if (properties == schema.end()) return;
    for (const auto& [name, child] : properties->items()) {
      if (key.empty()) out_ << ".SS " << troff(name) << '\n';
      describe(child, key.empty() ? name : key + "." + name, is_required(schema, name));
    }
  }

  void foot(const std::string& program) {
    const auto other = program == "fixkeep-master" ? "fixkeep-worker" : "fixkeep-master";
    out_ << ".SH SEE ALSO\n.BR " << troff(program) << " (8),\n.BR " << troff(other)
         << ".json (5),\n.BR fixkeepctl (1)\n";
  }

 private:
  void describe(const Json& schema, const std::string& key, bool required) {
    out_ << ".TP\n.B " << troff(key) << '\n' << troff(schema.value("description", "")) << '\n';
    const bool section = schema.contains("properties");
    if (!section) out_ << troff(with_capital(config::requirement(schema)) + facts(schema)) << ".\n";
    if (required) out_ << "Must be given.\n";
    members(schema, key);
    if (const auto items = schema.find("items"); items != schema.end()) {
      members(*items, key + "[]");
    }
    if (const auto others = schema.find("additionalProperties");
        others != schema.end() && others->is_object()) {
      if (others->contains("properties")) {
        members(*others, key + ".NAME");
      } else {
        describe(*others, key + ".NAME", false);
      }
    }
  }

  static std::string facts(const Json& schema) {
    std::string text;
    if (const auto unit = schema.find("unit"); unit != schema.end()) {
      text += ", in " + unit->get<std::string>();
    }
    const auto fallback = schema.find("default");
    if (fallback == schema.end()) return text;
    const bool empty = fallback->empty() || (fallback->is_string() && *fallback == "");
    return text + "; " + (empty ? std::string{"empty"} : fallback->dump()) + " if it is not given";
  }

  std::ostream& out_;
};

}  // namespace
}  // namespace fixkeep

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: fixkeep-configuration-page SCHEMA PROGRAM VERSION\n";
    return 2;
  }
  std::ostringstream text;
  text << std::ifstream{argv[1]}.rdbuf();
  const fixkeep::config::Schema schema{text.str()};
  fixkeep::Page page{std::cout};
  page.head(argv[2], argv[3]);
  page.members(schema.root(), "");
  page.foot(argv[2]);
  return std::cout.flush() ? 0 : 1;
}
