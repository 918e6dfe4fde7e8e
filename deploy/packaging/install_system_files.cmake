# Runs at the installation of FIX Keep: inserts the installation's paths into the system files, and
# installs these files in the system's folders. fixkeep_packaging is the folder of this script.
set(program_folder "${CMAKE_INSTALL_PREFIX}/bin")
set(configuration_root "${CMAKE_INSTALL_PREFIX}/etc")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(configuration_root /etc)
endif()
set(configuration_folder "${configuration_root}/fixkeep")

set(unit_folder "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
foreach(unit fixkeep-master.service fixkeep-worker.service)
  file(READ "${fixkeep_packaging}/systemd/${unit}.in" text)
  string(CONFIGURE "${text}" text @ONLY)
  message(STATUS "Installing: $ENV{DESTDIR}${unit_folder}/${unit}")
  file(WRITE "$ENV{DESTDIR}${unit_folder}/${unit}" "${text}")
endforeach()

# Existing configuration files are kept: an operator may have changed them.
foreach(file master.json worker.json)
  if(NOT EXISTS "$ENV{DESTDIR}${configuration_folder}/${file}")
    file(INSTALL "${fixkeep_packaging}/configuration/${file}" DESTINATION "${configuration_folder}")
  endif()
endforeach()
file(INSTALL "${fixkeep_packaging}/logrotate/fixkeep" DESTINATION "${configuration_root}/logrotate.d")
