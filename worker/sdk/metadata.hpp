// The labels and annotations of one room: those that it began with, and those that its game sets.
//
// Keys are checked as Agones does, with the rules of Kubernetes for qualified names; values of
// labels too. What the game sets gets a prefix, so it never replaces what is not its own.
// Thread rule: one owner. Bounds: `entries_most` labels and as many annotations, the bytes of an
// annotation and of all of them. Errors: SdkCode::invalid_argument, resource_exhausted; nothing is
// changed then.
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
  static constexpr std::size_t entries_most = 64;
  static constexpr std::size_t annotation_bytes_most = std::size_t{16} << 10U;
  static constexpr std::size_t annotations_bytes_most = std::size_t{64} << 10U;  // with their keys

  explicit Metadata(Map labels, Map annotations = {})
      : labels_(std::move(labels)), annotations_(std::move(annotations)) {}

  // True: something is different now.
  [[nodiscard]] SdkResult<bool> set_label(const std::string& key, const std::string& value);
  [[nodiscard]] SdkResult<bool> set_annotation(const std::string& key, const std::string& value);

  // A label that the room began with has another value now.
  void replace_own(const std::string& label, std::string value);

  // The room was allocated. `time` as RFC 3339 has it.
  void note_allocation(std::string time);

  [[nodiscard]] const Map& labels() const { return labels_; }
  [[nodiscard]] const Map& annotations() const { return annotations_; }

 private:
  Map labels_;
  Map annotations_;
};

// Says what is wrong with it, in words that follow "the key"; empty: nothing.
[[nodiscard]] std::string problem_of_qualified_name(std::string_view text);
[[nodiscard]] std::string problem_of_label_value(std::string_view text);

}  // namespace fixkeep::worker
