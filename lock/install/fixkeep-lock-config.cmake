# fixkeep::lock          the locks; needs Boost's headers
# fixkeep::lock-engines  (component engines) those that live in Redis, etcd, ZooKeeper, PostgreSQL and Kubernetes
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
get_filename_component(fixkeep_lock_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(fixkeep_lock_headers lock/core/lock_table.hpp PATH_SUFFIXES include/fixkeep NO_CACHE NO_DEFAULT_PATH
  HINTS "${fixkeep_lock_libraries}/.." "${fixkeep_lock_libraries}/../.."
  REQUIRED)

if(NOT TARGET fixkeep::lock)
  add_library(fixkeep::lock STATIC IMPORTED)
  set_target_properties(fixkeep::lock PROPERTIES
    IMPORTED_LOCATION "${fixkeep_lock_libraries}/libfixkeep-lock.a"
    INTERFACE_INCLUDE_DIRECTORIES "${fixkeep_lock_headers}"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES Boost::headers)
endif()

if("engines" IN_LIST fixkeep-lock_FIND_COMPONENTS)
  set(fixkeep-lock_engines_FOUND FALSE)
  if(EXISTS "${fixkeep_lock_libraries}/libfixkeep-lock-engines.a")
    foreach(package IN ITEMS Threads OpenSSL Protobuf prometheus-cpp)
      find_dependency(${package})
    endforeach()
    set(libraries "")
    foreach(name IN ITEMS hiredis zookeeper_st pq spdlog fmt)
      find_library(fixkeep_lock_${name} ${name} REQUIRED NO_CACHE)
      list(APPEND libraries "${fixkeep_lock_${name}}")
    endforeach()
    if(NOT TARGET fixkeep::lock-engines)
      add_library(fixkeep::lock-engines STATIC IMPORTED)
      set_target_properties(fixkeep::lock-engines PROPERTIES
        IMPORTED_LOCATION "${fixkeep_lock_libraries}/libfixkeep-lock-engines.a"
        # Asio and Beast are compiled once, within the archive.
        INTERFACE_COMPILE_DEFINITIONS
          "BOOST_ASIO_SEPARATE_COMPILATION;BOOST_BEAST_SEPARATE_COMPILATION;BOOST_ASIO_NO_DEPRECATED;BOOST_ASIO_DISABLE_BOOST_COROUTINE"
        INTERFACE_LINK_LIBRARIES
          "fixkeep::lock;${libraries};OpenSSL::SSL;protobuf::libprotobuf;prometheus-cpp::core;Threads::Threads")
    endif()
    set(fixkeep-lock_engines_FOUND TRUE)
  elseif(fixkeep-lock_FIND_REQUIRED_engines)
    set(fixkeep-lock_FOUND FALSE)
    set(fixkeep-lock_NOT_FOUND_MESSAGE
      "fixkeep-lock was built alone, without engines: build and install the whole project")
  endif()
endif()
