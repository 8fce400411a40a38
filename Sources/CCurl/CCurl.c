#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FUNCTIONS(each) \
    each(curl_global_init) each(curl_easy_init) each(curl_easy_cleanup) \
    each(curl_easy_setopt) each(curl_easy_getinfo) each(curl_easy_strerror) each(curl_slist_append) \
    each(curl_slist_free_all) each(curl_multi_init) each(curl_multi_cleanup) each(curl_multi_setopt) \
    each(curl_multi_add_handle) each(curl_multi_remove_handle) each(curl_multi_perform) \
    each(curl_multi_poll) each(curl_multi_wakeup) each(curl_multi_info_read) each(curl_url) \
    each(curl_url_cleanup) each(curl_url_set) each(curl_url_get) each(curl_free)

// The headers define macros of the same names, which check types.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define DECLARE(name) __typeof__(name) *name;
static struct { FUNCTIONS(DECLARE) } curl;

// Of OpenSSL, which libcurl may not use.
static const char *(*ssl_get_version)(const void *connection);
static long (*ssl_callback_ctrl)(void *connection, int command, void (*callback)(void));

static const char *problem;

// Where the system has its libraries. By its name alone the library would be looked for beside the calling module
// first, in a folder that the trust policy does not check.
static const char *const paths[] = {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu/libcurl.so.4",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu/libcurl.so.4",
#endif
    "/usr/lib64/libcurl.so.4", "/usr/lib/libcurl.so.4", "/lib64/libcurl.so.4", "/usr/local/lib/libcurl.so.4",
};

static void load(void) {
    void *library = NULL;
    for (size_t index = 0; !library && index < sizeof paths / sizeof *paths; index++) {
        if (access(paths[index], F_OK) != 0) continue;
        // Local: a module may have a libcurl of its own.
        library = dlopen(paths[index], RTLD_NOW | RTLD_LOCAL);
        if (!library) problem = dlerror();
    }
    if (!library) {
        if (!problem) problem = "no folder for the system's libraries has libcurl.so.4";
        return;
    }
    problem = NULL;
#define FIND(name) \
    if (!(curl.name = (__typeof__(name) *)dlsym(library, #name))) { \
        problem = "it is too old: it has no " #name; \
        return; \
    }
    FUNCTIONS(FIND)
    // OpenSSL would clean up at exit, while the transport's thread may still use it (OPENSSL_INIT_NO_ATEXIT).
    int (*initialize)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    if (initialize) initialize(0x00080000L, NULL);
    ssl_get_version = (const char *(*)(const void *))dlsym(library, "SSL_get_version");
    ssl_callback_ctrl = (long (*)(void *, int, void (*)(void)))dlsym(library, "SSL_callback_ctrl");
    if (curl.curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK) problem = "it can't be initialized";
}

const char *ccurl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem;
}

struct start {
    void (*run)(void *);
    void *context;
};

static void *run_thread(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), "http");
    start.run(start.context);
    return NULL;
}

int ccurl_start_thread(void (*run)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    *start = (struct start){run, context};
    // Signals are for the main thread, and a broken connection must not end the process by SIGPIPE.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run_thread, start);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (error) free(start);
    else pthread_detach(thread);
    return error;
}

CURL *ccurl_easy_init(void) { return curl.curl_easy_init(); }
void ccurl_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup(easy); }

CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_stream(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl.curl_easy_setopt(easy, option, callback);
}

CURLcode ccurl_set_prereq(CURL *easy, curl_prereq_callback callback) {
    return curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

// The sockets that this thread has opened, the oldest replaced first. One that was closed stays until its number is
// used again, or until it is looked at.
#define SOCKETS 2048
static _Thread_local struct { int descriptor, uses; } sockets[SOCKETS];
static _Thread_local unsigned socket_count;

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (descriptor < 0) return descriptor;
    unsigned count = socket_count < SOCKETS ? socket_count : SOCKETS, index = 0;
    while (index < count && sockets[index].descriptor != descriptor) index++;
    if (index == count) index = socket_count++ % SOCKETS;
    sockets[index].descriptor = descriptor;
    sockets[index].uses = 0;
    return descriptor;
}

// Whether an end of a socket has a port and, unless that is NULL, an address.
static int is_at(int (*end)(int, struct sockaddr *, socklen_t *), int descriptor, const char *address, int port) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage space;
    } found;
    socklen_t size = sizeof found;
    if (end(descriptor, &found.any, &size) != 0) return 0;
    char text[INET6_ADDRSTRLEN] = "";
    int is_v6 = found.any.sa_family == AF_INET6;
    if (ntohs(is_v6 ? found.v6.sin6_port : found.v4.sin_port) != port) return 0;
    if (!address) return 1;
    const void *bytes = is_v6 ? (void *)&found.v6.sin6_addr : (void *)&found.v4.sin_addr;
    return inet_ntop(found.any.sa_family, bytes, text, sizeof text) && strcmp(text, address) == 0;
}

static int local_end(int descriptor, struct sockaddr *address, socklen_t *size) {
    return getsockname(descriptor, address, size);
}

static int remote_end(int descriptor, struct sockaddr *address, socklen_t *size) {
    return getpeername(descriptor, address, size);
}

int ccurl_use_socket(const char *address, int port, int local_port) {
    unsigned count = socket_count < SOCKETS ? socket_count : SOCKETS;
    for (unsigned index = 0; index < count; index++) {
        int descriptor = sockets[index].descriptor;
        if (!is_at(local_end, descriptor, NULL, local_port)) continue;
        if (!is_at(remote_end, descriptor, address, port)) continue;
        sockets[index].uses++;
        return descriptor;
    }
    return -1;
}

void ccurl_leave_socket(int descriptor) {
    unsigned count = socket_count < SOCKETS ? socket_count : SOCKETS;
    for (unsigned index = 0; index < count; index++) {
        if (sockets[index].descriptor == descriptor && sockets[index].uses > 0) sockets[index].uses--;
    }
}

int ccurl_has_input(int descriptor) {
    unsigned count = socket_count < SOCKETS ? socket_count : SOCKETS;
    for (unsigned index = 0; index < count; index++) {
        // What comes on a connection of several requests may be for the others.
        if (sockets[index].descriptor == descriptor && sockets[index].uses > 1) return 0;
    }
    char byte;
    ssize_t length = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return length >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

CURLcode ccurl_set_private_sockets(CURL *easy) {
    return curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

long ccurl_number(CURL *easy, CURLINFO info) {
    long value = 0;
    curl.curl_easy_getinfo(easy, info, &value);
    return value;
}

const char *ccurl_text(CURL *easy, CURLINFO info) {
    const char *value = NULL;
    curl.curl_easy_getinfo(easy, info, &value);
    return value;
}

// OpenSSL's object of the connection in use; NULL without TLS, or if libcurl does not use OpenSSL.
static void *tls_connection(CURL *easy) {
    const struct curl_tlssessioninfo *session = NULL;
    curl.curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session);
    return session && session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

const char *ccurl_tls_version(CURL *easy) {
    void *connection = tls_connection(easy);
    return ssl_get_version && connection ? ssl_get_version(connection) : NULL;
}

// The watched connections of this thread that the peer has closed by an alert, the oldest replaced first.
#define CLOSED 64
static _Thread_local const void *closed[CLOSED];
static _Thread_local unsigned closed_count;

// OpenSSL's callback for messages (SSL_CTX_set_msg_callback(3)); an alert is its level and its number.
static void note_message(
    int is_sent, int version, int type, const void *bytes, size_t length, void *connection, void *context) {
    int is_close_notify = type == 21 && length == 2 && ((const unsigned char *)bytes)[1] == 0;
    if (!is_sent && is_close_notify) closed[closed_count++ % CLOSED] = connection;
}

const void *ccurl_watch_end(CURL *easy) {
    void *connection = tls_connection(easy);
    if (!ssl_callback_ctrl || !connection) return NULL;
    // An earlier connection may have had the same address.
    for (unsigned index = 0; index < CLOSED; index++) {
        if (closed[index] == connection) closed[index] = NULL;
    }
    const int set_message_callback = 15;
    ssl_callback_ctrl(connection, set_message_callback, (void (*)(void))note_message);
    return connection;
}

int ccurl_was_closed(const void *connection) {
    for (unsigned index = 0; index < CLOSED; index++) {
        if (closed[index] == connection) return 1;
    }
    return 0;
}

const struct curl_slist *ccurl_certificate(CURL *easy) {
    const struct curl_certinfo *chain = NULL;
    curl.curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain);
    return chain && chain->num_of_certs > 0 ? chain->certinfo[0] : NULL;
}

const char *ccurl_sentence(CURLcode code) { return curl.curl_easy_strerror(code); }

struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *text) {
    return curl.curl_slist_append(list, text);
}

void ccurl_list_free(struct curl_slist *list) { curl.curl_slist_free_all(list); }

CURLM *ccurl_multi_init(void) { return curl.curl_multi_init(); }
void ccurl_multi_cleanup(CURLM *multi) { curl.curl_multi_cleanup(multi); }

void ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    curl.curl_multi_setopt(multi, option, value);
}

CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle(multi, easy); }
void ccurl_multi_remove(CURLM *multi, CURL *easy) { curl.curl_multi_remove_handle(multi, easy); }

CURLMcode ccurl_multi_perform(CURLM *multi) {
    int running = 0;
    return curl.curl_multi_perform(multi, &running);
}

CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return curl.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}

void ccurl_multi_wakeup(CURLM *multi) { curl.curl_multi_wakeup(multi); }

CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl.curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

CURLU *ccurl_url_init(void) { return curl.curl_url(); }
void ccurl_url_cleanup(CURLU *url) { curl.curl_url_cleanup(url); }

CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
    return curl.curl_url_set(url, part, text, flags);
}

char *ccurl_url_get(CURLU *url, CURLUPart part, unsigned int flags) {
    char *text = NULL;
    return curl.curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

void ccurl_free(void *text) { curl.curl_free(text); }
