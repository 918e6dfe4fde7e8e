// Implements the part of JSON Schema (draft 7) that our configuration files use, with messages for
// people.
//
// Every failure is reported as one sentence: "must be <expected by the schema>, is <actual value>".
// The tests compare our verdicts with those of valijson. We do not use valijson itself, because its
// reports name no constraint and no bounds.
//
// Keywords: type (one of object, array, string, integer, number, boolean), properties, required,
// additionalProperties (false, a schema, or true for anything at all), items (one schema), enum (of
// strings), minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, uniqueItems,
// default.
// Annotations: $schema, title, description, unit, expects (describes `pattern` in words), writeOnly
// (a secret: never shown, and refused on the command line because all users of a machine can read
// it), unquoted (errors do not show the value: people write secrets there by mistake), replaces (an
// override of this key replaces the named key), optional (a missing object is not created and its
// defaults are not used), elsewhere (keys that only other objects of this kind have, each with its
// error). An assertion refuses a schema with any other keyword, because the keyword would have no
// effect. Thread rule: immutable after construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config/document.hpp"

namespace fixkeep::config {

class Schema {
 public:
  // REQUIRES: `text` is a schema as described above. The schema is a part of the program, never
  // input.
  explicit Schema(std::string_view text);

  // Sets every missing key that has a default.
  void fill_defaults(Document& document) const;
  void validate(const Document& document, Problems& problems) const;

  // A key without fixed keys below it: "http.port", or the lists "mesh.masters" and "modes". A list
  // or a map is one leaf; the keys of its parts are not listed.
  struct Leaf {
    std::string key;
    const Json* schema;
  };
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }

  // The schema of the value at `key`, also inside lists and maps. Null for an unknown key.
  [[nodiscard]] const Json* at(std::string_view key) const;

  [[nodiscard]] const Json& root() const { return root_; }

 private:
  Json root_;
  std::vector<Leaf> leaves_;
};

// Describes a valid value: "a whole number between 0 and 65535".
[[nodiscard]] std::string requirement(const Json& schema);

}  // namespace fixkeep::config
