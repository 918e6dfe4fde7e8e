// Several texts in one. Each has its length before it: it may hold any bytes and stays one text.
//
// Version 1 of the protocol had a NUL after each text instead. Keepers and workers from that time
// still speak it: see Word::run_1 and Word::complaint_1.
// Thread rule: free functions. Bounds: 4 GB a text. Errors: a text that is cut or has bytes behind
// its end is no list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

void append_text(std::string& list, std::string_view text);
// Takes a text off the front of the list. Nullopt: the list is empty or incomplete.
[[nodiscard]] std::optional<std::string_view> take_text(std::string_view& list);

// A packet of the word with the texts. Nullopt: they do not fit.
[[nodiscard]] std::optional<Packet> packet_of(Word word, const std::vector<std::string>& texts);
// The same for version 1. Nullopt: they do not fit or a text has a NUL: that would end it there.
[[nodiscard]] std::optional<Packet> packet_of_1(Word word, const std::vector<std::string>& texts);

// Reads the texts of a packet of either version. Nullopt: the packet has no texts or its text is no
// list.
[[nodiscard]] std::optional<std::vector<std::string>> texts_of(const Packet& packet);

}  // namespace fixkeep::worker::keeper
