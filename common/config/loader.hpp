// Merges command line, file and environment into one checked document.
//
// The steps in order: the file, environment variables, --set, the schema's defaults, validation.
// Variables and --set override earlier values. Masters and workers have their own checks that
// compare several fields. Thread rule: free functions; call environment() before threads start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/config/command_line.hpp"
#include "common/config/overrides.hpp"

namespace fixkeep::config {

[[nodiscard]] std::vector<std::string> environment();  // each as "NAME=value"

// The entries of a list may be in separate files. A second list contains the paths of these files,
// relative to the folder of the configuration file.
struct ListInFiles {
  std::string list;   // "games"
  std::string files;  // "game_files"
};

// Chooses the schema for the defaults and the validation of a document. All its keys must be in the
// `schema` that load_document() gets.
using ChooseSchema = Schema (*)(const Document&);

// No value if a file cannot be read or is not JSON. Otherwise all keys of this file would be
// reported as missing. `schema` gives the types of variables and --set. `choose` is null: `schema`
// is used for defaults and validation too.
[[nodiscard]] std::optional<Document> load_document(const CommandLine& line,
                                                    const std::vector<std::string>& variables,
                                                    const Schema& schema, Problems& problems,
                                                    const std::optional<ListInFiles>& in_files = {},
                                                    ChooseSchema choose = nullptr);

// Returns the secret at `key`, or the secret in the file that `key` + "_file" names. At most one of
// these two keys may be set. No value if neither is set. A relative path starts at the folder of
// its configuration file. A secret in the file must have at least `least_bytes` bytes. The schema
// checks the length of a secret at `key`.
[[nodiscard]] std::optional<std::string> load_secret_at(const Document& document,
                                                        const std::string& key, Problems& problems,
                                                        std::size_t least_bytes = 16);

// The secret of the cluster: "cluster.secret" or "cluster.secret_file". A cluster without
// certificates needs exactly one of these keys.
[[nodiscard]] std::string load_secret(const Document& document, Problems& problems);

// The text at `key` as a path. A relative path starts at the folder of its configuration file.
// Empty if there is no text.
[[nodiscard]] std::string resolved_path(const Document& document, std::string_view key);

// Sorts problems by their line in the file. Problems of overrides come last.
void sort(Problems& problems);

// True if no problem concerns the value at `key` or a part of it. Check several fields together
// only if each of them is valid.
[[nodiscard]] bool sound(const Problems& problems, std::string_view key);

}  // namespace fixkeep::config
