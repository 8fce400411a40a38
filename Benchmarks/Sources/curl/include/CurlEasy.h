#ifndef CURL_EASY_H
#define CURL_EASY_H

#include <stddef.h>

// The same calls through curl's easy interface, over one handle, which keeps its connection. Each returns the
// number of bytes that came, or -1.

/// Requests a body into memory.
long easy_get(const char *url);
/// Requests a body into a file, which gets its name when it is complete.
long easy_download(const char *url, const char *path);
/// Sends a file as the body of a PUT.
long easy_upload(const char *url, const char *path);

/// Serves `/bytes/N`, uploads, `/hold`, which is answered when the process is asked for `/release`, and `/held`,
/// how many are held; prints its URL.
int serve(void);

#endif
