#define _GNU_SOURCE
#include "CurlEasy.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// A server that costs little, so that the callers are what is measured.

static char zeros[1 << 20];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int held, isReleased;

static int send_all(int connection, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent;
        count -= sent;
    }
    return 1;
}

static int answer(int connection, size_t count) {
    char head[256];
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"1\"\r\nContent-Length: %zu\r\n\r\n", count);
    // One packet for what is small.
    if (count <= 65536) {
        char whole[sizeof head + 65536];
        memcpy(whole, head, length);
        memset(whole + length, ' ', count);
        return send_all(connection, whole, length + count);
    }
    if (!send_all(connection, head, length)) return 0;
    for (; count > 0; count -= count < sizeof zeros ? count : sizeof zeros)
        if (!send_all(connection, zeros, count < sizeof zeros ? count : sizeof zeros)) return 0;
    return 1;
}

static void hold(void) {
    pthread_mutex_lock(&lock);
    held++;
    while (!isReleased) pthread_cond_wait(&changed, &lock);
    held--;
    pthread_mutex_unlock(&lock);
}

static size_t reply(const char *path) {
    if (strncmp(path, "/bytes/", 7) == 0) return strtoul(path + 7, NULL, 10);
    if (strncmp(path, "/hold ", 6) == 0) hold();
    if (strncmp(path, "/release ", 9) == 0 || strncmp(path, "/held ", 6) == 0) {
        pthread_mutex_lock(&lock);
        size_t count = held;
        isReleased = path[1] == 'r';
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        return count;
    }
    return 0;
}

static void *serve_connection(void *argument) {
    int connection = (int)(intptr_t)argument;
    char *bytes = malloc(256 * 1024);
    size_t count = 0;
    while (1) {
        ssize_t read_count = recv(connection, bytes + count, 255 * 1024 - count, 0);
        if (read_count <= 0) break;
        count += read_count;
        bytes[count] = 0;
        char *end = strstr(bytes, "\r\n\r\n");
        if (!end) continue;
        char *field = strcasestr(bytes, "\r\nContent-Length:");
        size_t rest = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
        char *path = strchr(bytes, ' ');
        size_t length = path ? reply(path + 1) : 0;
        size_t there = count - (end + 4 - bytes);
        while (there < rest) {
            read_count = recv(connection, bytes, 255 * 1024, 0);
            if (read_count <= 0) goto done;
            there += read_count;
        }
        if (!answer(connection, length)) break;
        count = 0;
    }
done:
    close(connection);
    free(bytes);
    return NULL;
}

int serve(void) {
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (void *)&address, size) || listen(listener, 2000)) return 1;
    getsockname(listener, (void *)&address, &size);
    printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (1) {
        int connection = accept(listener, NULL, NULL), now = 1;
        if (connection < 0) continue;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
        pthread_t thread;
        if (pthread_create(&thread, &attributes, serve_connection, (void *)(intptr_t)connection)) close(connection);
    }
}
