#include "common/config/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "common/config/secret_text.hpp"

namespace fixkeep::config {
namespace {

std::string read_secret_file(const Document& document, const std::string& key,
                             std::size_t least_bytes, Problems& problems) {
  const std::string path = resolved_path(document, key);
  std::ostringstream text;
  if (const auto reason = read_file(path, text); !reason.empty()) {
    problems.push_back(
        document.problem(key, "must be a file that can be read, is \"" + path + "\": " + reason));
    return "";
  }
  if (is_utf16(text.view())) {
    problems.push_back(document.problem(
        key, "must be a file in UTF-8, is \"" + path + "\", which is in UTF-16: save it as UTF-8"));
    return "";
  }
  std::string secret = secret_in(text.view());
  if (secret.size() < least_bytes) {
    problems.push_back(document.problem(key, "must be a file with a secret of at least " +
                                                 std::to_string(least_bytes) + " characters, has " +
                                                 std::to_string(secret.size())));
  }
  return secret;
}

void append_files(Document& document, const ListInFiles& in_files, Problems& problems) {
  const Json* files = find(document.root(), in_files.files);
  if (files == nullptr || !files->is_array()) return;
  const auto folder = std::filesystem::path{document.name()}.parent_path();
  for (const Json& file : *files) {
    if (!file.is_string()) continue;  // the schema reports this
    const auto path = (folder / file.get_ref<const std::string&>()).string();
    document.append(in_files.list, Document::from_file(path, problems));
  }
}

}  // namespace

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

std::optional<Document> load_document(const CommandLine& line,
                                      const std::vector<std::string>& variables,
                                      const Schema& schema, Problems& problems,
                                      const std::optional<ListInFiles>& in_files,
                                      ChooseSchema choose) {
  Document document;
  if (!line.file.empty()) {
    document = Document::from_file(line.file, problems);
    if (in_files) append_files(document, *in_files, problems);
    const bool unusable = std::any_of(problems.begin(), problems.end(),
                                      [](const Problem& problem) { return problem.key.empty(); });
    if (unusable) return {};
  }
  apply_environment(schema, variables, document, problems);
  apply_settings(schema, line.settings, document, problems);
  if (in_files && document.given(in_files->files) &&
      document.origin(in_files->files).layer != Layer::file) {
    problems.push_back(
        document.problem(in_files->files, "can be given in the configuration file only"));
  }
  const auto check = [&](const Schema& chosen) {
    chosen.fill_defaults(document);
    chosen.validate(document, problems);
  };
  check(choose == nullptr ? schema : choose(document));
  return document;
}

std::optional<std::string> load_secret_at(const Document& document, const std::string& key,
                                          Problems& problems, std::size_t least_bytes) {
  const std::string file_key = key + "_file";
  const Json* secret = find(document.root(), key);
  const Json* file = find(document.root(), file_key);
  if (secret != nullptr && file != nullptr) {
    problems.push_back(document.problem(file_key, "must not stand beside " + key + " (" +
                                                      document.origin(key).where +
                                                      "): give one of them"));
    return "";
  }
  if (file != nullptr) {
    return file->is_string() ? read_secret_file(document, file_key, least_bytes, problems) : "";
  }
  if (secret == nullptr) return {};
  return secret->is_string() ? secret->get<std::string>() : "";
}

std::string load_secret(const Document& document, Problems& problems) {
  if (auto secret = load_secret_at(document, "cluster.secret", problems)) return *secret;
  // A node with a certificate needs no secret.
  if (!resolved_path(document, "tls.certificate").empty()) return "";
  problems.push_back(document.problem("cluster.secret",
                                      "is missing: must be a text of at least 16 characters, or "
                                      "give cluster.secret_file or certificates (tls) instead"));
  return "";
}

std::string resolved_path(const Document& document, std::string_view key) {
  const Json* value = find(document.root(), key);
  if (value == nullptr || !value->is_string() || value->get_ref<const std::string&>().empty()) {
    return "";
  }
  const std::filesystem::path path{value->get<std::string>()};
  const bool from_file = document.origin(std::string{key}).layer == Layer::file;
  return (from_file ? std::filesystem::path{document.name()}.parent_path() / path : path).string();
}

void sort(Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    // Line 0 means no line. The subtraction makes 0 the largest number, so such problems are sorted
    // last.
    return a.line - 1 < b.line - 1;
  });
}

bool sound(const Problems& problems, std::string_view key) {
  return std::none_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    const std::string_view other = problem.key;
    return within(other, key) || (!other.empty() && within(key, other));
  });
}

}  // namespace fixkeep::config
