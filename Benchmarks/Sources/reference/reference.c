// Uses only the SQLite C API: prepares statements once and steps them repeatedly.
//
// Usage: reference DATABASE; reads lines of words between tabs:
//   clear                         forgets the statements
//   statement  SQL  ARGUMENT…     adds a statement; arguments are i42, tTEXT, n (null), c (the clock)
//   show                          runs the statements, prints the first column of every row
//   import  FILE                  creates an entity for each line of the file in one transaction, then
//                                 indexes them; lines have the three texts and the three keys between tabs
//   run  read|write  COUNT        runs the statements COUNT times, each time in a transaction;
//                                 prints nanoseconds of wall clock and of processor time; import too, and
//                                 how many rows there were

#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { maximumStatements = 4, maximumArguments = 16 };

struct statement {
    sqlite3_stmt *compiled;
    char *arguments[maximumArguments];
    int argumentCount;
};

static sqlite3 *database;
static struct statement statements[maximumStatements];
static int statementCount;
static volatile long long read_sum;

static void require(int code, int expected) {
    if (code == expected) return;
    fprintf(stderr, "reference: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void bind(struct statement *statement) {
    for (int index = 0; index < statement->argumentCount; index++) {
        char *argument = statement->arguments[index];
        int code = SQLITE_OK;
        switch (argument[0]) {
        case 'i': code = sqlite3_bind_int64(statement->compiled, index + 1, atoll(argument + 1)); break;
        case 't': code = sqlite3_bind_text(statement->compiled, index + 1, argument + 1, -1, NULL); break;
        case 'c': code = sqlite3_bind_int64(statement->compiled, index + 1, now(CLOCK_REALTIME) / 1000);
            break;
        default: code = sqlite3_bind_null(statement->compiled, index + 1);
        }
        require(code, SQLITE_OK);
    }
}

static void fetch(sqlite3_stmt *row) {
    int count = sqlite3_column_count(row);
    for (int column = 0; column < count; column++) {
        switch (sqlite3_column_type(row, column)) {
        case SQLITE_INTEGER: read_sum += sqlite3_column_int64(row, column); break;
        case SQLITE_TEXT:
            read_sum += sqlite3_column_text(row, column)[0];
            read_sum += sqlite3_column_bytes(row, column);
        }
    }
}

static void run(sqlite3_stmt *begin, sqlite3_stmt *commit, int shows) {
    require(sqlite3_step(begin), SQLITE_DONE);
    sqlite3_reset(begin);
    for (int index = 0; index < statementCount; index++) {
        struct statement *statement = &statements[index];
        int code;
        bind(statement);
        while ((code = sqlite3_step(statement->compiled)) == SQLITE_ROW) {
            fetch(statement->compiled);
            if (shows) printf("%s ", sqlite3_column_text(statement->compiled, 0));
        }
        require(code, SQLITE_DONE);
        sqlite3_reset(statement->compiled);
    }
    require(sqlite3_step(commit), SQLITE_DONE);
    sqlite3_reset(commit);
}

static sqlite3_stmt *compile(const char *sql) {
    sqlite3_stmt *compiled;
    require(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &compiled, NULL), SQLITE_OK);
    return compiled;
}

static long long import_rows(const char *path, sqlite3_stmt *begin, sqlite3_stmt *commit) {
    sqlite3_stmt *insert = compile(
        "INSERT INTO entities (name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    sqlite3_stmt *last = compile("SELECT id FROM entities ORDER BY id DESC LIMIT 1");
    sqlite3_stmt *index = compile(
        "INSERT INTO entitySearch (rowid, searchKey) SELECT id, searchKey FROM entities WHERE id > ?");
    const int columns[] = {1, 2, 3, 6, 7, 8};
    long long rows = 0, moment = now(CLOCK_REALTIME) / 1000;
    FILE *file = fopen(path, "r");
    if (!file) exit(1);
    require(sqlite3_step(begin), SQLITE_DONE);
    sqlite3_reset(begin);
    long long first = sqlite3_step(last) == SQLITE_ROW ? sqlite3_column_int64(last, 0) : 0;
    sqlite3_finalize(last);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, file)) > 0; rows++) {
        line[length - 1] = 0;
        char *rest = line;
        for (int word = 0; word < 6; word++) {
            char *text = strsep(&rest, "\t");
            if (word < 3 && !*text) sqlite3_bind_null(insert, columns[word]);
            else require(sqlite3_bind_text(insert, columns[word], text, -1, NULL), SQLITE_OK);
        }
        sqlite3_bind_int64(insert, 4, moment);
        sqlite3_bind_int64(insert, 5, moment);
        require(sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
    }
    sqlite3_bind_int64(index, 1, first);
    require(sqlite3_step(index), SQLITE_DONE);
    sqlite3_finalize(index);
    sqlite3_finalize(insert);
    require(sqlite3_step(commit), SQLITE_DONE);
    sqlite3_reset(commit);
    free(line);
    fclose(file);
    return rows;
}

static void clear(void) {
    for (int index = 0; index < statementCount; index++) {
        sqlite3_finalize(statements[index].compiled);
        char **arguments = statements[index].arguments;
        for (int word = 0; word < statements[index].argumentCount; word++) free(arguments[word]);
    }
    statementCount = 0;
}

static void add(char *rest) {
    struct statement *statement = &statements[statementCount++];
    statement->compiled = compile(strsep(&rest, "\t"));
    statement->argumentCount = 0;
    for (char *word; (word = strsep(&rest, "\t"));)
        statement->arguments[statement->argumentCount++] = strdup(word);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    require(sqlite3_open_v2(words[1], &database, flags, NULL), SQLITE_OK);
    // The settings of SQLiteHandle+Opening.swift.
    require(sqlite3_exec(database,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
        "PRAGMA trusted_schema = OFF;", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_stmt *reading = compile("BEGIN DEFERRED"), *writing = compile("BEGIN IMMEDIATE");
    sqlite3_stmt *commit = compile("COMMIT");
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        line[length - 1] = 0;
        char *rest = line, *word = strsep(&rest, "\t");
        if (strcmp(word, "clear") == 0) clear();
        else if (strcmp(word, "statement") == 0) add(rest);
        else if (strcmp(word, "show") == 0) {
            run(reading, commit, 1);
            printf("\n");
        } else if (strcmp(word, "import") == 0) {
            long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
            long long rows = import_rows(rest, writing, commit);
            processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
            printf("%lld %lld %lld\n", now(CLOCK_MONOTONIC) - wall, processor, rows);
        } else if (strcmp(word, "run") == 0) {
            sqlite3_stmt *begin = strcmp(strsep(&rest, "\t"), "write") == 0 ? writing : reading;
            long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
            for (int left = atoi(rest); left > 0; left--) run(begin, commit, 0);
            processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
            printf("%lld %lld\n", now(CLOCK_MONOTONIC) - wall, processor);
        }
        fflush(stdout);
    }
    clear();
    sqlite3_close_v2(database);
    return 0;
}
