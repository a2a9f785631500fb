# Node's functions are found in whatever program has loaded the addon. The name is fixed, or the path of the build would be in
# the file.
target_link_options(holdfast PRIVATE -Wl,-undefined,dynamic_lookup)
if(CMAKE_CROSSCOMPILING)
  # -s, because the linker signs what it writes and a later strip would break the signature. zig knows no list of exports;
  # hidden visibility leaves the entry and operators new and delete.
  target_link_options(holdfast PRIVATE -Wl,-install_name,@rpath/holdfast.node $<$<CONFIG:Release>:-s>)
else()
  target_link_options(holdfast PRIVATE -Wl,-exported_symbols_list,${CMAKE_SOURCE_DIR}/native/exports.txt)
  set_property(TARGET holdfast APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/native/exports.txt)
endif()
