// Boost.JSON, compiled here once: Debian's Boost of our version comes without its library.
#include <boost/json/src.hpp>
