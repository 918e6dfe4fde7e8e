// Stores several texts in one list. The length of each text stands before the text, so a text may
// contain any bytes.
//
// Version 1 of the protocol has a NUL after each text instead. Old keepers and workers use version
// 1: see Word::run_1 and Word::complaint_1.
// Thread rule: free functions. Bounds: 4 GB a text. Errors: a list that ends within a text, or has
// bytes after its last text, is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

void append_text(std::string& list, std::string_view text);
// Removes and returns the first text of the list. Nullopt: the list is empty or incomplete.
[[nodiscard]] std::optional<std::string_view> take_text(std::string_view& list);

// Returns a packet with this word and the texts. Nullopt: the texts do not fit.
[[nodiscard]] std::optional<Packet> packet_of(Word word, const std::vector<std::string>& texts);
// Does the same for version 1 of the protocol, in which a NUL ends each text. Nullopt: the texts do
// not fit, or a text itself contains a NUL.
[[nodiscard]] std::optional<Packet> packet_of_1(Word word, const std::vector<std::string>& texts);

// Reads the texts of a packet of either version. Nullopt: the packet has no texts, or its list is
// incomplete.
[[nodiscard]] std::optional<std::vector<std::string>> texts_of(const Packet& packet);

}  // namespace fixkeep::worker::keeper
