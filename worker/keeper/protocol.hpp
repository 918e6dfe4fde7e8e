// The messages between a worker and the keeper of one of its rooms.
//
// Messages use a local SOCK_SEQPACKET socket. A message is a packet: four numbers, followed by
// bytes. The worker or the keeper may be the older program, because a worker can be replaced while
// its rooms run. A number in this file never changes its meaning. Messages with an unknown Word are
// ignored.
//
// A keeper starts with a connection to the worker that ordered the room. It first sends `state`
// with a descriptor of its own process. If it cannot send `state` or `placed`, it starts nothing.
// It also listens in the room's folder, and obeys the worker that connected last. When no process
// of the game is left, the keeper sends `ended` as its last packet and exits. The file `ended` in
// the room's folder contains the same packet for a later worker. Thread rule: values and free
// functions without state. Bounds: `packet_bytes` a message; `most_listeners` sockets. Errors: a
// packet that is too short or too long gives nullopt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::worker::keeper {

// Version 1 had no messages that contain length-prefixed texts (texts.hpp).
inline constexpr std::int32_t version = 2;
inline constexpr std::size_t packet_bytes = 8192;
inline constexpr std::size_t most_text_bytes = packet_bytes - 16;
inline constexpr std::size_t most_listeners = 8;
inline constexpr std::size_t last_line_bytes = 512;
inline constexpr std::string_view last_is_note = "note";

enum class Word : std::uint32_t {
  // --- the worker says
  hello = 1,   // number: the worker's version; answered with `state`
  signal = 2,  // number: a signal that asks the game to end; sent to its process group
  end = 3,     // kill all processes of the room
  follow = 4,  // number: 1 sends the game's output, as fast as the worker reads it; 0 stops this
  run_1 = 5,   // `run` for a keeper of version 1: NUL after each text
  // number: id of the command; detail: limit in ms; extra: 1 if the command asks the game to end;
  // texts: the program's path and the arguments. Answered with `ran`.
  run = 6,

  // --- the keeper says
  // number: version; detail: the game's process, or 0; extra: the keeper's process. The room's
  // listening sockets come with the packet; text: `last_is_note` if the room's note follows the
  // sockets.
  state = 101,
  wrote = 102,    // text: output of the game
  ran = 103,      // number: id of the command; detail: wait status or RunFailure; text: its output
  trouble = 104,  // number: errno; text: the output file that cannot be written
  // number: a Cause; detail: wait status or errno; extra: number of processes that were left and
  // killed; text: the last lines of output.
  ended = 105,
  started = 106,      // detail: the game's process
  placed = 107,       // the room's folder exists, and the keeper listens in it
  complaint_1 = 108,  // `complaint` from a keeper of version 1: NUL after each text
  complaint = 109,    // texts: the problem, the thing concerned, the reason
};

// Why the game has ended or was not started.
enum class Cause : std::int32_t {
  ended = 0,       // detail: the wait status of the program
  no_folder = 1,   // detail: errno. The keeper cannot enter the room's folder
  no_user = 2,     // detail: errno. The keeper cannot become the room's user
  no_program = 3,  // detail: errno. The keeper cannot execute the program
  // The next two causes also mean `ended`. They name the limit that explains the end:
  at_memory_limit = 4,   // a process was killed
  at_process_limit = 5,  // a process could not fork
  no_cgroup = 6,         // detail: errno. The keeper cannot enter the room's control group
  no_keeper = 7,         // detail: errno. The starter cannot fork
  no_place = 8,          // text: why. The keeper cannot make the room's files
};

// If a command has no wait status, its packet `ran` has one of these values instead. A wait status
// is never negative.
enum class RunFailure : std::int32_t {
  too_slow = -1,
  too_many = -2,  // too many commands at a time
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

// Text beyond `most_text_bytes` is cut off.
[[nodiscard]] std::string to_bytes(const Packet& packet);
[[nodiscard]] std::optional<Packet> to_packet(std::string_view bytes);

}  // namespace fixkeep::worker::keeper
