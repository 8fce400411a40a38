#include "CIndexStore.h"

#include <dlfcn.h>

const char *index_library_open(const char *path, index_library_t *library) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();

#define LOOK_UP(result, name, parameters)                                 \
    if (!(*(void **)&library->name = dlsym(handle, "indexstore_" #name))) \
        return "it has no function indexstore_" #name;
    INDEX_FUNCTIONS(LOOK_UP)
    return 0;
}
