// Uses only libpq: prepares statements once and runs them repeatedly, as a program does that needs nothing else.
//
// Usage: libpq URL; reads lines of words between tabs, as BenchReference does:
//   clear                         forgets the statements
//   statement  SQL  ARGUMENT…     adds a statement; arguments are i42, tTEXT, n (null), c (the clock)
//   show                          runs the statements, prints the first column of every row
//   import  FILE                  creates an entity for each line of the file with one COPY; lines have the three
//                                 texts and the three keys between tabs
//   run  read|write  COUNT        runs the statements COUNT times, each time in a serializable transaction

#define _GNU_SOURCE
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { maximumStatements = 4, maximumArguments = 16 };

struct statement {
    char name[16];
    char *arguments[maximumArguments];
    int argumentCount;
};

static PGconn *connection;
static struct statement statements[maximumStatements];
static int statementCount, prepared;
static volatile long long read_sum;

static PGresult *require(PGresult *result) {
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK: case PGRES_TUPLES_OK: case PGRES_COPY_IN: return result;
    default:
        fprintf(stderr, "libpq: %s\n", PQerrorMessage(connection));
        exit(1);
    }
}

static void execute(const char *sql) { PQclear(require(PQexec(connection, sql))); }

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void run(const char *begin, int shows) {
    execute(begin);
    for (int index = 0; index < statementCount; index++) {
        struct statement *statement = &statements[index];
        const char *values[maximumArguments];
        char clock[24];
        snprintf(clock, sizeof clock, "%lld", now(CLOCK_REALTIME) / 1000);
        for (int word = 0; word < statement->argumentCount; word++) {
            char *argument = statement->arguments[word];
            values[word] = argument[0] == 'n' ? NULL : argument[0] == 'c' ? clock : argument + 1;
        }
        PGresult *result = require(PQexecPrepared(
            connection, statement->name, statement->argumentCount, values, NULL, NULL, 0));
        int columns = PQnfields(result);
        for (int row = 0; row < PQntuples(result); row++) {
            for (int column = 0; column < columns; column++) {
                if (PQgetisnull(result, row, column)) continue;
                char *text = PQgetvalue(result, row, column);
                if (PQftype(result, column) == 20) read_sum += atoll(text);
                else read_sum += text[0] + PQgetlength(result, row, column);
            }
            if (shows) printf("%s ", PQgetvalue(result, row, 0));
        }
        PQclear(result);
    }
    execute("COMMIT");
}

static long long import_rows(const char *path, const char *begin) {
    long long rows = 0, moment = now(CLOCK_REALTIME) / 1000;
    FILE *file = fopen(path, "r");
    if (!file) exit(1);
    execute(begin);
    PQclear(require(PQexec(
        connection,
        "COPY entities (name, category, notes, nameKey, categoryKey, searchKey, createdAt, updatedAt) FROM STDIN")));
    char *line = NULL, text[1 << 16];
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, file)) > 0; rows++) {
        line[length - 1] = 0;
        char *rest = line;
        int used = 0;
        for (int word = 0; word < 6; word++) {
            char *value = strsep(&rest, "\t");
            used += sprintf(text + used, "%s\t", word < 3 && !*value ? "\\N" : value);
        }
        used += sprintf(text + used, "%lld\t%lld\n", moment, moment);
        if (PQputCopyData(connection, text, used) != 1) exit(1);
    }
    if (PQputCopyEnd(connection, NULL) != 1) exit(1);
    for (PGresult *result; (result = PQgetResult(connection));) PQclear(require(result));
    execute("COMMIT");
    free(line);
    fclose(file);
    return rows;
}

static void clear(void) {
    for (int index = 0; index < statementCount; index++)
        for (int word = 0; word < statements[index].argumentCount; word++) free(statements[index].arguments[word]);
    statementCount = 0;
}

static void add(char *rest) {
    struct statement *statement = &statements[statementCount++];
    snprintf(statement->name, sizeof statement->name, "s%d", ++prepared);
    PQclear(require(PQprepare(connection, statement->name, strsep(&rest, "\t"), 0, NULL)));
    statement->argumentCount = 0;
    for (char *word; (word = strsep(&rest, "\t"));)
        statement->arguments[statement->argumentCount++] = strdup(word);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    connection = PQconnectdb(words[1]);
    if (PQstatus(connection) != CONNECTION_OK) {
        fprintf(stderr, "libpq: %s\n", PQerrorMessage(connection));
        return 1;
    }
    // The table of the module, which is there already; its statements name it alone.
    execute("SET search_path TO \"Entities\"");
    const char *reading = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY";
    const char *writing = "BEGIN ISOLATION LEVEL SERIALIZABLE";
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        line[length - 1] = 0;
        char *rest = line, *word = strsep(&rest, "\t");
        if (strcmp(word, "clear") == 0) clear();
        else if (strcmp(word, "statement") == 0) add(rest);
        else if (strcmp(word, "show") == 0) {
            run(reading, 1);
            printf("\n");
        } else if (strcmp(word, "import") == 0) {
            long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
            long long rows = import_rows(rest, writing);
            processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
            printf("%lld %lld %lld\n", now(CLOCK_MONOTONIC) - wall, processor, rows);
        } else if (strcmp(word, "run") == 0) {
            const char *begin = strcmp(strsep(&rest, "\t"), "write") == 0 ? writing : reading;
            long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
            for (int left = atoi(rest); left > 0; left--) run(begin, 0);
            processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
            printf("%lld %lld\n", now(CLOCK_MONOTONIC) - wall, processor);
        }
        fflush(stdout);
    }
    clear();
    PQfinish(connection);
    return 0;
}
