# fixkeep_schema_file(ROLE): configs/ROLE.schema.json in the build folder, as fixkeep-ROLE prints it.
# The target is fixkeep-ROLE-schema.
function(fixkeep_schema_file role)
  set(folder "${CMAKE_BINARY_DIR}/configs")
  set(schema "${folder}/${role}.schema.json")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${schema}"
    COMMAND fixkeep-${role} --schema > "${schema}"
    DEPENDS fixkeep-${role}
    VERBATIM)
  add_custom_target(fixkeep-${role}-schema ALL DEPENDS "${schema}")
endfunction()
