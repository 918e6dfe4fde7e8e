// The labels and annotations of one room: initial entries, and entries that its game sets.
//
// As in Agones, keys and values of labels must follow Kubernetes' rules for qualified names and
// label values. Entries of the game get a prefix and never replace other entries. Thread rule: one
// owner. Bounds: `entries_most` labels, `entries_most` annotations, bytes of one annotation and of
// all annotations. Errors: SdkCode::invalid_argument or resource_exhausted. After an error nothing
// has changed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

class Metadata {
 public:
  using Map = std::map<std::string, std::string>;

  static constexpr std::string_view prefix = "agones.dev/sdk-";
  static constexpr std::string_view own_prefix = "fixkeep/";
  static constexpr std::size_t entries_most = 64;
  static constexpr std::size_t annotation_bytes_most = std::size_t{16} << 10U;
  static constexpr std::size_t annotations_bytes_most = std::size_t{64} << 10U;  // keys and values

  explicit Metadata(Map labels, Map annotations = {})
      : labels_(std::move(labels)), annotations_(std::move(annotations)) {}

  // Returns whether something has changed.
  [[nodiscard]] SdkResult<bool> set_label(const std::string& key, const std::string& value);
  [[nodiscard]] SdkResult<bool> set_annotation(const std::string& key, const std::string& value);

  // Changes the value of an initial label of the room.
  void replace_own(const std::string& label, std::string value);

  // Sets an annotation of the room itself. The game has other annotations.
  void set_own(const std::string& annotation, std::string value);
  // Returns the annotations that set_own() has not set.
  [[nodiscard]] Map annotations_to_keep() const;

  // Notes that the room was allocated. `time`: in the form of RFC 3339.
  void note_allocation(std::string time);

  [[nodiscard]] const Map& labels() const { return labels_; }
  [[nodiscard]] const Map& annotations() const { return annotations_; }

 private:
  Map labels_;
  Map annotations_;
};

// Describes the mistake in words that can follow "the key". Empty: there is no mistake.
[[nodiscard]] std::string problem_of_qualified_name(std::string_view text);
[[nodiscard]] std::string problem_of_label_value(std::string_view text);

}  // namespace fixkeep::worker
