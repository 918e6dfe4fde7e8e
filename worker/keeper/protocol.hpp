// A worker and the keeper of one of its rooms say this to each other.
//
// They speak over a SOCK_SEQPACKET socket of the machine: a message is a packet, four numbers and
// then bytes. Either side may be older than the other, since a worker is replaced while its rooms
// go on: a number here never changes its meaning, and a word that is not known is ignored.
//
// A keeper is born with a connection to the worker that ordered it, and says `state` there before
// it does anything; the descriptor that comes with it is one of its own process. If nobody hears
// that, or that it is `placed`, it starts nothing. From then on it listens as well, and the newest
// worker that connects is the one that it obeys. What it says last is `ended`, once nothing of the
// game runs any more; then it exits. The same packet is in the file `ended` of the room's folder by
// then, for a worker that was not there. Thread rule: values and free functions without state.
// Bounds: `packet_bytes` a message, `most_listeners` sockets. Errors: a packet that is too short or
// too long is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::worker::keeper {

// 1 had no words with texts that have their length before them, see texts.hpp.
inline constexpr std::int32_t version = 2;
inline constexpr std::size_t packet_bytes = 8192;
inline constexpr std::size_t most_text_bytes = packet_bytes - 16;
inline constexpr std::size_t most_listeners = 8;
inline constexpr std::size_t last_line_bytes = 512;
inline constexpr std::string_view last_is_note = "note";

enum class Word : std::uint32_t {
  // --- the worker says
  hello = 1,   // number: its version; answered with `state`
  signal = 2,  // number: the signal that asks the game to end, to its process group
  end = 3,     // kill all that belongs to the room
  follow = 4,  // number: 1 send on what the game writes, as far as the worker keeps up; 0: no more
  run_1 = 5,   // as `run`, to a keeper of version 1: NUL after each text
  run = 6,  // number: which; detail: limit in ms; extra: 1 if it asks the game to end; texts: the
            // path of the program, and the arguments. Answered with `ran`

  // --- the keeper says
  state =
      101,  // number: version; detail: the game's process, 0: none; extra: the keeper's own. The
            // room's listening sockets come with it; text: `last_is_note` if the file of the
            // room's note comes after them
  wrote = 102,    // text: what the game wrote
  ran = 103,      // number: which; detail: wait status, or one of RunFailure; text: what it wrote
  trouble = 104,  // number: errno; text: the file of the game's output that cannot be written
  ended = 105,  // number: a Cause; detail: wait status or errno; extra: processes that it left and
                // that were killed; text: the last lines that it wrote
  started = 106,      // detail: the game's process
  placed = 107,       // its folder is there, and it listens in it
  complaint_1 = 108,  // as `complaint`, of a keeper of version 1: NUL after each text
  complaint = 109,    // texts: what was wrong, with what, and why
};

// Why there is no game any more.
enum class Cause : std::int32_t {
  ended = 0,       // detail: the wait status of the program
  no_folder = 1,   // detail: errno. The room's folder cannot be entered
  no_user = 2,     // detail: errno. Cannot become the room's user
  no_program = 3,  // detail: errno. The program cannot be executed
  // These say what `ended` says, and that the room had reached a limit, which explains how it
  // ended:
  at_memory_limit = 4,   // something of it was killed
  at_process_limit = 5,  // it could not fork
  no_cgroup = 6,         // detail: errno. The room's control group cannot be entered
  no_keeper = 7,         // detail: errno. The starter cannot fork
  no_place = 8,          // text: why. What the room needs on disk cannot be made
};

// In place of a wait status, which is never negative.
enum class RunFailure : std::int32_t {
  too_slow = -1,
  too_many = -2,  // commands at a time
  not_started = -3,
};

struct Packet {
  Word word{};
  std::int32_t number = 0;
  std::int32_t detail = 0;
  std::int32_t extra = 0;
  std::string text;

  friend bool operator==(const Packet&, const Packet&) = default;
};

// Text beyond `most_text_bytes` is cut at its end.
[[nodiscard]] std::string to_bytes(const Packet& packet);
[[nodiscard]] std::optional<Packet> to_packet(std::string_view bytes);

}  // namespace fixkeep::worker::keeper
