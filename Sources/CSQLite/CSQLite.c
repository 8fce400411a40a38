#include "CSQLite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/*
 * SQLite is opened with the first database, not linked: linked, it costs every start 0.3 ms of a bare program's 3.8
 * (median of 100), which a host that reads no data would pay for nothing.
 *
 * These functions have the names and parameters of the library's, so that callers see its own header. All but those
 * that need no connection are called with one, and so behind a successful sqlite3_open_v2.
 */
#define CONNECTION(F) \
    F(int, close_v2, (sqlite3 *c), (c)) \
    F(const char *, errmsg, (sqlite3 *c), (c)) \
    F(int, extended_errcode, (sqlite3 *c), (c)) \
    F(int, extended_result_codes, (sqlite3 *c, int on), (c, on)) \
    F(int, system_errno, (sqlite3 *c), (c)) \
    F(int, exec, (sqlite3 *c, const char *sql, int (*row)(void *, int, char **, char **), void *data, char **error), \
      (c, sql, row, data, error)) \
    F(const char *, db_filename, (sqlite3 *c, const char *name), (c, name)) \
    F(int, get_autocommit, (sqlite3 *c), (c)) \
    F(sqlite3_int64, changes64, (sqlite3 *c), (c)) \
    F(sqlite3_int64, total_changes64, (sqlite3 *c), (c)) \
    F(void, interrupt, (sqlite3 *c), (c)) \
    F(int, limit, (sqlite3 *c, int what, int value), (c, what, value)) \
    F(int, busy_timeout, (sqlite3 *c, int milliseconds), (c, milliseconds)) \
    F(int, busy_handler, (sqlite3 *c, int (*busy)(void *, int), void *data), (c, busy, data)) \
    F(void, progress_handler, (sqlite3 *c, int steps, int (*progress)(void *), void *data), (c, steps, progress, data)) \
    F(int, set_authorizer, \
      (sqlite3 *c, int (*check)(void *, int, const char *, const char *, const char *, const char *), void *data), \
      (c, check, data)) \
    F(int, file_control, (sqlite3 *c, const char *name, int operation, void *value), (c, name, operation, value)) \
    F(int, db_cacheflush, (sqlite3 *c), (c)) \
    F(int, wal_checkpoint_v2, (sqlite3 *c, const char *name, int mode, int *log, int *done), (c, name, mode, log, done)) \
    F(sqlite3_backup *, backup_init, (sqlite3 *to, const char *name, sqlite3 *from, const char *other), \
      (to, name, from, other)) \
    F(int, backup_step, (sqlite3_backup *b, int pages), (b, pages)) \
    F(int, backup_finish, (sqlite3_backup *b), (b))

#define STATEMENT(F) \
    F(int, prepare_v2, (sqlite3 *c, const char *sql, int size, sqlite3_stmt **s, const char **rest), \
      (c, sql, size, s, rest)) \
    F(int, prepare_v3, \
      (sqlite3 *c, const char *sql, int size, unsigned int flags, sqlite3_stmt **s, const char **rest), \
      (c, sql, size, flags, s, rest)) \
    F(int, step, (sqlite3_stmt *s), (s)) \
    F(int, reset, (sqlite3_stmt *s), (s)) \
    F(int, finalize, (sqlite3_stmt *s), (s)) \
    F(int, stmt_readonly, (sqlite3_stmt *s), (s)) \
    F(int, stmt_status, (sqlite3_stmt *s, int counter, int reset), (s, counter, reset)) \
    F(int, clear_bindings, (sqlite3_stmt *s), (s)) \
    F(int, bind_parameter_count, (sqlite3_stmt *s), (s)) \
    F(int, bind_null, (sqlite3_stmt *s, int i), (s, i)) \
    F(int, bind_int64, (sqlite3_stmt *s, int i, sqlite3_int64 value), (s, i, value)) \
    F(int, bind_double, (sqlite3_stmt *s, int i, double value), (s, i, value)) \
    F(int, bind_zeroblob, (sqlite3_stmt *s, int i, int size), (s, i, size)) \
    F(int, bind_blob64, (sqlite3_stmt *s, int i, const void *value, sqlite3_uint64 size, void (*release)(void *)), \
      (s, i, value, size, release)) \
    F(int, bind_text64, \
      (sqlite3_stmt *s, int i, const char *text, sqlite3_uint64 size, void (*release)(void *), unsigned char encoding), \
      (s, i, text, size, release, encoding)) \
    F(int, column_count, (sqlite3_stmt *s), (s)) \
    F(const char *, column_name, (sqlite3_stmt *s, int i), (s, i)) \
    F(const char *, column_table_name, (sqlite3_stmt *s, int i), (s, i)) \
    F(int, column_type, (sqlite3_stmt *s, int i), (s, i)) \
    F(sqlite3_int64, column_int64, (sqlite3_stmt *s, int i), (s, i)) \
    F(double, column_double, (sqlite3_stmt *s, int i), (s, i)) \
    F(const unsigned char *, column_text, (sqlite3_stmt *s, int i), (s, i)) \
    F(const void *, column_blob, (sqlite3_stmt *s, int i), (s, i)) \
    F(int, column_bytes, (sqlite3_stmt *s, int i), (s, i))

#define WITHOUT_CONNECTION(F) \
    F(int, open_v2, (const char *path, sqlite3 **c, int flags, const char *vfs), (path, c, flags, vfs)) \
    F(const char *, errstr, (int code), (code))

#define EACH(F) CONNECTION(F) STATEMENT(F) WITHOUT_CONNECTION(F)

static struct {
#define DECLARE(result, name, parameters, arguments) result(*name) parameters;
    EACH(DECLARE)
#undef DECLARE
} library;

static const char *problem;

static void find_functions(void) {
    void *handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        problem = "libsqlite3.so.0 can't be loaded";
        return;
    }
#define FIND(result, name, parameters, arguments) \
    if (!(library.name = (result(*) parameters)dlsym(handle, "sqlite3_" #name))) \
        problem = "libsqlite3.so.0 is too old: it has no sqlite3_" #name;
    EACH(FIND)
#undef FIND
}

static int is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    return !problem;
}

int sqlite3_open_v2(const char *path, sqlite3 **connection, int flags, const char *vfs) {
    *connection = NULL;
    return is_loaded() ? library.open_v2(path, connection, flags, vfs) : SQLITE_ERROR;
}

const char *sqlite3_errstr(int code) { return is_loaded() ? library.errstr(code) : problem; }

#define FORWARD(result, name, parameters, arguments) \
    result sqlite3_##name parameters { return library.name arguments; }
CONNECTION(FORWARD)
STATEMENT(FORWARD)
