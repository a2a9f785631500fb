{
  "includes": ["native/sources.gypi"],
  "target_defaults": {
    "include_dirs": ["native"],
    "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-std=gnu++2a", "-fno-exceptions"],
    "cflags_cc": ["-std=c++20"],
    "cflags": ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-ffile-prefix-map=<(module_root_dir)=."]
  },
  "targets": [
    {
      "target_name": "holdfast",
      "sources": ["<@(core_sources)", "<@(addon_sources)"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"],
      "cflags": ["-isystem<!(node -p \"require('node:path').resolve(require('node-addon-api').include_dir)\")", "-pthread"],
      "cflags_cc": ["-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wno-restrict"],
      "conditions": [
        ["OS=='linux'", {
          "dependencies": ["holdfast-warden"],
          "sources": ["<@(posix_sources)", "<@(linux_sources)", "<@(addon_posix_sources)"],
          "actions": [{
            "action_name": "embed_warden",
            "inputs": ["<(PRODUCT_DIR)/holdfast-warden", "scripts/embed-warden.mjs"],
            "outputs": ["<(INTERMEDIATE_DIR)/warden_image.cc"],
            "action": ["node", "scripts/embed-warden.mjs", "<(PRODUCT_DIR)/holdfast-warden", "<@(_outputs)"],
            "process_outputs_as_sources": 1
          }],
          "libraries": ["-ldl"],
          "ldflags!": ["-rdynamic"],
          "ldflags": [
            "-pthread",
            "-Wl,--version-script=<(module_root_dir)/native/exports.map",
            "-Wl,-z,nodelete",
            "-Wl,-z,noexecstack"
          ]
        }],
        ["OS=='mac'", {
          "sources": ["<@(posix_sources)", "<@(darwin_sources)", "<@(addon_posix_sources)"],
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
            "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
            "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
            "MACOSX_DEPLOYMENT_TARGET": "11.0",
            "OTHER_CFLAGS": ["-isystem<!(node -p \"require('node:path').resolve(require('node-addon-api').include_dir)\")"],
            "OTHER_LDFLAGS": ["-Wl,-exported_symbols_list,<(module_root_dir)/native/exports.txt"]
          }
        }]
      ]
    }
  ],
  "conditions": [
    ["OS=='linux'", {
      "targets": [{
        "target_name": "holdfast-warden",
        "type": "executable",
        "sources": ["<@(warden_sources)"],
        "cflags!": ["-pthread", "-fPIC", "-O3", "-fno-omit-frame-pointer"],
        "cflags": [
          "-Os", "-ffreestanding", "-fno-pie", "-fno-exceptions", "-fno-stack-protector",
          "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns",
          "-ffunction-sections", "-fdata-sections"
        ],
        "cflags_cc": ["-fno-rtti", "-fno-threadsafe-statics", "-fno-exceptions"],
        "ldflags!": ["-pthread", "-rdynamic"],
        "ldflags": [
          "-nostdlib", "-nostartfiles", "-static", "-no-pie",
          "-Wl,--gc-sections", "-Wl,-z,noexecstack", "-Wl,--build-id=none", "-s"
        ],
        "libraries!": ["-lm"],
        "conditions": [
          ["target_arch=='x64'", { "cflags": ["-fcf-protection=none"] }, { "cflags": ["-mno-outline-atomics"] }]
        ]
      }]
    }]
  ]
}
