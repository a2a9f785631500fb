# Node's functions are found in whatever program has loaded the addon; only its entry is exported. The name is fixed, or the
# path of the build would be in the file.
set_target_properties(holdfast PROPERTIES NO_SONAME ON)
target_link_options(holdfast PRIVATE
  -Wl,-undefined,dynamic_lookup -Wl,-install_name,@rpath/holdfast.node
  -Wl,-exported_symbols_list,${CMAKE_SOURCE_DIR}/native/exports.txt)
if(CMAKE_CROSSCOMPILING AND NOT HOLDFAST_SANITIZE)
  # By the linker, which signs what it writes: a later strip would break the signature.
  target_link_options(holdfast PRIVATE $<$<CONFIG:Release>:-s>)
endif()
set_property(TARGET holdfast APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/native/exports.txt)
