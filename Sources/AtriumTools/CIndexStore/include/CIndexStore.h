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

/// The library's functions, each by the name that it has there behind "indexstore_".
typedef struct {
    const char *_Nullable (*_Nonnull error_get_description)(index_error_t _Nullable);
    void (*_Nonnull error_dispose)(index_error_t _Nullable);

    index_store_t _Nullable (*_Nonnull store_create)(const char *_Nonnull, index_error_t _Nullable *_Nonnull);
    void (*_Nonnull store_dispose)(index_store_t _Nonnull);
    bool (*_Nonnull store_units_apply_f)(index_store_t _Nonnull, unsigned sorted, void *_Nullable context,
                                         bool (*_Nonnull)(void *_Nullable, index_string_t));

    index_unit_t _Nullable (*_Nonnull unit_reader_create)(index_store_t _Nonnull, const char *_Nonnull,
                                                          index_error_t _Nullable *_Nonnull);
    void (*_Nonnull unit_reader_dispose)(index_unit_t _Nonnull);
    void (*_Nonnull unit_reader_get_modification_time)(index_unit_t _Nonnull, int64_t *_Nonnull seconds,
                                                       int64_t *_Nonnull nanoseconds);
    index_string_t (*_Nonnull unit_reader_get_main_file)(index_unit_t _Nonnull);
    index_string_t (*_Nonnull unit_reader_get_module_name)(index_unit_t _Nonnull);
    bool (*_Nonnull unit_reader_dependencies_apply_f)(index_unit_t _Nonnull, void *_Nullable context,
                                                      bool (*_Nonnull)(void *_Nullable,
                                                                       index_dependency_t _Nonnull));
    int (*_Nonnull unit_dependency_get_kind)(index_dependency_t _Nonnull);
    index_string_t (*_Nonnull unit_dependency_get_name)(index_dependency_t _Nonnull);
    index_string_t (*_Nonnull unit_dependency_get_filepath)(index_dependency_t _Nonnull);

    index_record_t _Nullable (*_Nonnull record_reader_create)(index_store_t _Nonnull, const char *_Nonnull,
                                                              index_error_t _Nullable *_Nonnull);
    void (*_Nonnull record_reader_dispose)(index_record_t _Nonnull);
    bool (*_Nonnull record_reader_occurrences_apply_f)(index_record_t _Nonnull, void *_Nullable context,
                                                       bool (*_Nonnull)(void *_Nullable,
                                                                        index_occurrence_t _Nonnull));

    index_symbol_t _Nonnull (*_Nonnull occurrence_get_symbol)(index_occurrence_t _Nonnull);
    uint64_t (*_Nonnull occurrence_get_roles)(index_occurrence_t _Nonnull);
    void (*_Nonnull occurrence_get_line_col)(index_occurrence_t _Nonnull, unsigned *_Nonnull line,
                                             unsigned *_Nonnull column);
    bool (*_Nonnull occurrence_relations_apply_f)(index_occurrence_t _Nonnull, void *_Nullable context,
                                                  bool (*_Nonnull)(void *_Nullable,
                                                                   index_relation_t _Nonnull));
    uint64_t (*_Nonnull symbol_relation_get_roles)(index_relation_t _Nonnull);
    index_symbol_t _Nonnull (*_Nonnull symbol_relation_get_symbol)(index_relation_t _Nonnull);

    int (*_Nonnull symbol_get_kind)(index_symbol_t _Nonnull);
    int (*_Nonnull symbol_get_subkind)(index_symbol_t _Nonnull);
    index_string_t (*_Nonnull symbol_get_name)(index_symbol_t _Nonnull);
    index_string_t (*_Nonnull symbol_get_usr)(index_symbol_t _Nonnull);
} index_library_t;

/// Opens the library and looks its functions up; it stays open until the process ends.
///
/// Returns NULL, or what is wrong, which is to be read before the next call.
const char *_Nullable index_library_open(const char *_Nonnull path, index_library_t *_Nonnull library);
