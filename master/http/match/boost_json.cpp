// Boost.JSON is compiled here once: Debian's Boost of this version has no library for it.
#include <boost/json/src.hpp>
