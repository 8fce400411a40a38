#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The part of the index store's C interface (format version 5) that the architecture check uses.
///
/// The library ships with every Swift toolchain, beside the compiler that wrote the store; its header does not
/// ship with all of them. So the library is opened by path, and these are declarations of our own.

typedef struct {
    const char *_Nullable data;
    size_t length;
} index_string_t;

typedef void *index_store_t;
typedef void *index_error_t;
typedef void *index_unit_t;
typedef void *index_dependency_t;
typedef void *index_record_t;
typedef void *index_occurrence_t;
typedef void *index_symbol_t;
typedef void *index_relation_t;

#define CALLBACK(argument) void *_Nullable context, bool (*_Nonnull)(void *_Nullable, argument)

/// Result, name behind "indexstore_" and parameters of each function.
#define INDEX_FUNCTIONS(F)                                                                                 \
    F(const char *_Nullable, error_get_description, (index_error_t _Nullable))                             \
    F(void, error_dispose, (index_error_t _Nullable))                                                      \
    F(index_store_t _Nullable, store_create, (const char *_Nonnull, index_error_t _Nullable *_Nonnull))    \
    F(bool, store_units_apply_f, (index_store_t _Nonnull, unsigned sorted, CALLBACK(index_string_t)))      \
    F(index_unit_t _Nullable, unit_reader_create,                                                          \
      (index_store_t _Nonnull, const char *_Nonnull, index_error_t _Nullable *_Nonnull))                   \
    F(void, unit_reader_dispose, (index_unit_t _Nonnull))                                                  \
    F(void, unit_reader_get_modification_time,                                                             \
      (index_unit_t _Nonnull, int64_t *_Nonnull seconds, int64_t *_Nonnull nanoseconds))                   \
    F(index_string_t, unit_reader_get_main_file, (index_unit_t _Nonnull))                                  \
    F(bool, unit_reader_dependencies_apply_f,                                                              \
      (index_unit_t _Nonnull, CALLBACK(index_dependency_t _Nonnull)))                                      \
    F(int, unit_dependency_get_kind, (index_dependency_t _Nonnull))                                        \
    F(index_string_t, unit_dependency_get_name, (index_dependency_t _Nonnull))                             \
    F(index_string_t, unit_dependency_get_filepath, (index_dependency_t _Nonnull))                         \
    F(index_record_t _Nullable, record_reader_create,                                                      \
      (index_store_t _Nonnull, const char *_Nonnull, index_error_t _Nullable *_Nonnull))                   \
    F(void, record_reader_dispose, (index_record_t _Nonnull))                                              \
    F(bool, record_reader_occurrences_apply_f,                                                             \
      (index_record_t _Nonnull, CALLBACK(index_occurrence_t _Nonnull)))                                    \
    F(index_symbol_t _Nonnull, occurrence_get_symbol, (index_occurrence_t _Nonnull))                       \
    F(uint64_t, occurrence_get_roles, (index_occurrence_t _Nonnull))                                       \
    F(void, occurrence_get_line_col,                                                                       \
      (index_occurrence_t _Nonnull, unsigned *_Nonnull line, unsigned *_Nonnull column))                   \
    F(bool, occurrence_relations_apply_f, (index_occurrence_t _Nonnull, CALLBACK(index_relation_t _Nonnull))) \
    F(uint64_t, symbol_relation_get_roles, (index_relation_t _Nonnull))                                    \
    F(index_symbol_t _Nonnull, symbol_relation_get_symbol, (index_relation_t _Nonnull))                    \
    F(int, symbol_get_kind, (index_symbol_t _Nonnull))                                                     \
    F(int, symbol_get_subkind, (index_symbol_t _Nonnull))                                                  \
    F(index_string_t, symbol_get_name, (index_symbol_t _Nonnull))                                          \
    F(index_string_t, symbol_get_usr, (index_symbol_t _Nonnull))

#define FIELD(result, name, parameters) result(*_Nonnull name) parameters;
typedef struct {
    INDEX_FUNCTIONS(FIELD)
} index_library_t;
#undef FIELD

/// Opens the library and looks its functions up; it stays open until the process ends.
///
/// Returns NULL, or what is wrong, which is to be read before the next call.
const char *_Nullable index_library_open(const char *_Nonnull path, index_library_t *_Nonnull library);
