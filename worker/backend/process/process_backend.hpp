// Games as processes of the worker itself.
//
// A process is started with vfork and execve: the cost does not grow with the worker's memory, and
// 32 rooms at once are 32 times half a millisecond. Between the two there are only calls that are
// safe there. They give the game a session and process group of its own, default signals, /dev/null
// as input, every other descriptor closed, and a death signal, so that no game outlives a worker
// that was killed. posix_spawn, the alternative, cannot set the death signal.
// A game is asked to end with SIGTERM and killed with SIGKILL, each to its whole process group.
// What it writes goes into a file for each room; see game_output.hpp.
//
// Invariant: when Exited is called nothing of the process's group is left, and it is reaped.
// Fault model: the death signal reaches the game itself, not children of its own: a game behind a
// wrapper script should be executed by it (exec), or it outlives a worker that was killed.
// Thread rule: as Backend. The death signal is bound to the thread that starts the process, not to
// the worker's whole process.
// Bounds: two descriptors for each game that runs, and one more while it is started. Errors: in the
// words that Exited gets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/backend/backend.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<Backend> make_process_backend(boost::asio::io_context& context,
                                                            const BackendOptions& options);

}  // namespace fixkeep::worker
