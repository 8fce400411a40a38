// Starts commands in turn and times each from posix_spawn to its end, without any cost of Python.
//
// Usage: launch ROUNDS COMMAND [ARGUMENT…] [-- COMMAND [ARGUMENT…]]…
// Prints a line per round: wall-clock and processor time in nanoseconds for each command. Every round starts
// with another command, so that the order varies.

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { maximum = 8 };

struct sample { long long wall, processor; };

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct sample run(char **command, posix_spawn_file_actions_t *files, char **environment) {
    pid_t process;
    int status;
    struct rusage usage;
    long long start = now();
    if (posix_spawn(&process, command[0], files, NULL, command, environment) != 0) {
        perror(command[0]);
        exit(1);
    }
    if (wait4(process, &status, 0, &usage) < 0 || status != 0) {
        fprintf(stderr, "launch: %s ended with status %d\n", command[0], status);
        exit(1);
    }
    long long end = now();
    return (struct sample){
        end - start, (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL
            + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL};
}

int main(int count, char **words, char **environment) {
    char **commands[maximum];
    int commandCount = 0;
    if (count < 3) return 2;
    commands[commandCount++] = words + 2;
    for (int index = 2; index < count; index++) {
        if (strcmp(words[index], "--") != 0 || commandCount == maximum) continue;
        words[index] = NULL;
        commands[commandCount++] = words + index + 1;
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    int rounds = atoi(words[1]);
    for (int round = 0; round < rounds; round++) {
        struct sample samples[maximum];
        for (int turn = 0; turn < commandCount; turn++) {
            int index = (round + turn) % commandCount;
            samples[index] = run(commands[index], &files, environment);
        }
        for (int index = 0; index < commandCount; index++) {
            printf("%lld %lld%c", samples[index].wall, samples[index].processor,
                   index + 1 < commandCount ? ' ' : '\n');
        }
    }
    return 0;
}
