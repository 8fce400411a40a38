#include "CurlEasy.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct body {
    char *bytes;
    size_t count, room;
    int file;
};

static CURL *handle;

static size_t into_memory(char *part, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t length = size * count;
    if (body->count + length > body->room) {
        body->room = 2 * (body->count + length);
        body->bytes = realloc(body->bytes, body->room);
    }
    memcpy(body->bytes + body->count, part, length);
    body->count += length;
    return length;
}

static size_t into_file(char *part, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t length = size * count;
    for (size_t done = 0; done < length;) {
        ssize_t written = write(body->file, part + done, length - done);
        if (written < 0) return 0;
        done += written;
    }
    body->count += length;
    return length;
}

static size_t from_file(char *part, size_t size, size_t count, void *context) {
    ssize_t read_count = read(*(int *)context, part, size * count);
    return read_count < 0 ? CURL_READFUNC_ABORT : read_count;
}

static CURL *prepare(const char *url, struct body *body, curl_write_callback into) {
    if (!handle) handle = curl_easy_init();
    curl_easy_reset(handle);
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "atrium");
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, into);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, body);
    return handle;
}

static long perform(struct body *body) {
    long status = 0;
    if (curl_easy_perform(handle) != CURLE_OK) return -1;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status == 200 ? (long)body->count : -1;
}

long easy_get(const char *url) {
    struct body body = {0};
    curl_easy_setopt(prepare(url, &body, into_memory), CURLOPT_ACCEPT_ENCODING, "");
    long count = perform(&body);
    free(body.bytes);
    return count;
}

long easy_download(const char *url, const char *path) {
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.part", path);
    struct body body = {.file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (body.file < 0) return -1;
    // As the transport: a larger buffer is faster, for both.
    curl_easy_setopt(prepare(url, &body, into_file), CURLOPT_BUFFERSIZE, 256L * 1024);
    long count = perform(&body);
    close(body.file);
    return rename(temporary, path) == 0 ? count : -1;
}

long easy_upload(const char *url, const char *path) {
    struct body body = {0};
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) return -1;
    curl_easy_setopt(prepare(url, &body, into_memory), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)status.st_size);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, from_file);
    curl_easy_setopt(handle, CURLOPT_READDATA, &file);
    struct curl_slist *fields = curl_slist_append(NULL, "Expect:");
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
    long count = perform(&body);
    curl_slist_free_all(fields);
    free(body.bytes);
    close(file);
    return count;
}
