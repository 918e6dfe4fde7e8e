// Merges command line, file and environment into one checked document, and reads its typed fields.
//
// The steps in order: the file, environment variables, --set, the schema's defaults, validation.
// Variables and --set override earlier values. Masters and workers have their own checks that
// compare several fields. Thread rule: free functions; call environment() before threads start.
#pragma once

#include <chrono>
#include <concepts>
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

// No value if a file cannot be read or is not JSON, because reports of missing keys would then be
// wrong.
[[nodiscard]] std::optional<Document> load_document(
    const CommandLine& line, const std::vector<std::string>& variables, const Schema& schema,
    Problems& problems, const std::optional<ListInFiles>& in_files = {});

// Returns the secret at `key`, or the secret in the file that `key` + "_file" names. At most one of
// these two keys may be set. No value if neither is set. A relative path starts at the folder of
// its configuration file. A secret in the file must have `least_bytes`. The schema checks the
// length of a secret at `key`.
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

// --- typed fields -------------------------------------------------------------------------------

// A list of (key, field) calls serves two purposes: with FieldReader, it fills a struct from a
// document. With FieldWriter, it writes the struct back as JSON.

// Skips a field if its key is missing or of the wrong type.
class FieldReader {
 public:
  explicit FieldReader(const Json& root) : root_(&root) {}

  void operator()(std::string_view key, std::string& field) const;
  void operator()(std::string_view key, bool& field) const;

  template <std::integral Number>
  void operator()(std::string_view key, Number& field) const {
    if (const Json* value = find(*root_, key); value != nullptr && value->is_number_integer()) {
      field = value->get<Number>();
    }
  }
  template <std::floating_point Number>
  void operator()(std::string_view key, Number& field) const {
    if (const Json* value = find(*root_, key); value != nullptr && value->is_number()) {
      field = value->get<Number>();
    }
  }
  // A duration is a whole number of milliseconds.
  template <class Rep, class Period>
  void operator()(std::string_view key, std::chrono::duration<Rep, Period>& field) const {
    std::int64_t count = std::chrono::duration_cast<std::chrono::milliseconds>(field).count();
    (*this)(key, count);
    field = std::chrono::milliseconds{count};
  }
  // A word from a fixed set; `parse` returns no value for other words.
  template <class Choice, class Parse>
  void choice(std::string_view key, Choice& field, Parse parse) const {
    std::string word;
    (*this)(key, word);
    if (const auto parsed = parse(word)) field = *parsed;
  }

 private:
  const Json* root_;
};

class FieldWriter {
 public:
  explicit FieldWriter(Json& root) : root_(&root) {}

  template <class Value>
  void operator()(std::string_view key, const Value& field) const {
    put(key, field);
  }
  template <class Rep, class Period>
  void operator()(std::string_view key, const std::chrono::duration<Rep, Period>& field) const {
    put(key, std::chrono::duration_cast<std::chrono::milliseconds>(field).count());
  }
  template <class Choice, class Parse>
  void choice(std::string_view key, const Choice& field, Parse) const {
    put(key, std::string{to_string(field)});
  }

 private:
  void put(std::string_view key, Json value) const;

  Json* root_;
};

}  // namespace fixkeep::config
