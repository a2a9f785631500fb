# holdfast-faults: what test/faults needs: the host's layer, and a warden whose system calls pass through one as well.
add_library(faults-shim MODULE ${CMAKE_SOURCE_DIR}/test/faults/shim.c)
target_compile_options(faults-shim PRIVATE -Wall -Wextra -Werror)
target_link_libraries(faults-shim PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(faults-shim PROPERTIES PREFIX "" C_STANDARD 17 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)

add_executable(faults-warden ${HOLDFAST_WARDEN_SOURCES} ${CMAKE_SOURCE_DIR}/test/faults/warden.cc)
set_target_properties(faults-warden PROPERTIES POSITION_INDEPENDENT_CODE OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)
foreach(property COMPILE_OPTIONS LINK_OPTIONS INCLUDE_DIRECTORIES)
  get_target_property(value holdfast-warden ${property})
  set_property(TARGET faults-warden PROPERTY ${property} ${value})
endforeach()
target_compile_definitions(faults-warden PRIVATE HOLDFAST_WARDEN_FAULTS)
add_custom_target(holdfast-faults DEPENDS faults-shim faults-warden)
