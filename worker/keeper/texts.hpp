// Several texts in one: each has its length before it, so that any bytes may be in it and none
// becomes two.
//
// Version 1 of the protocol had a NUL after each text instead, which keepers and workers that run
// since then still speak: see Word::run_1 and Word::complaint_1.
// Thread rule: free functions. Bounds: 4 GB a text. Errors: what is cut, or has something behind
// its end, is no list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

void append_text(std::string& list, std::string_view text);
// Takes a text off the front of the list. Nothing: there is none, or not all of it.
[[nodiscard]] std::optional<std::string_view> take_text(std::string_view& list);

// A packet of the word with the texts. Nothing: they do not fit.
[[nodiscard]] std::optional<Packet> packet_of(Word word, const std::vector<std::string>& texts);
// For version 1. Nothing: they do not fit, or one has a NUL, which would end it there.
[[nodiscard]] std::optional<Packet> packet_of_1(Word word, const std::vector<std::string>& texts);

// Reads the texts of a packet that has some, of either version. Nothing: it is none, or its text is
// no list.
[[nodiscard]] std::optional<std::vector<std::string>> texts_of(const Packet& packet);

}  // namespace fixkeep::worker::keeper
