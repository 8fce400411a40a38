import CIndexStore
import Foundation

/// The compiler's index: which symbols occur where in each source file, and in which role.
struct IndexStore {
    private let library: index_library_t
    private let store: index_store_t

    /// - Parameters:
    ///   - path: The store's folder; a debug build of SwiftPM leaves it at `.build/debug/index/store`.
    ///   - libraryPath: The toolchain's `libIndexStore`.
    /// - Throws: ``CheckError`` if there is no index, or this library can't read it.
    init(path: String, library libraryPath: String) throws {
        guard FileManager.default.fileExists(atPath: "\(path)/v5/units") else {
            throw CheckError.noIndex(path)
        }
        library = try Self.open(libraryPath)
        var error: index_error_t?
        guard let store = library.store_create(path, &error) else {
            throw CheckError.unreadableIndex(path, Self.text(of: error, library))
        }
        self.store = store
    }

    private static func open(_ path: String) throws -> index_library_t {
        let functions = UnsafeMutablePointer<index_library_t>.allocate(capacity: 1)
        defer { functions.deallocate() }
        if let problem = index_library_open(path, functions) {
            throw CheckError.library(path, String(cString: problem))
        }
        return functions.pointee
    }

    /// The newest unit of each source file below `folder`, also of files that no longer exist.
    func files(below folder: String) throws -> [IndexedFile] {
        var newest: [String: IndexedFile] = [:]
        for name in unitNames() {
            guard let file = unit(name, below: folder),
                file.compiledAt > newest[file.path]?.compiledAt ?? .min
            else { continue }
            newest[file.path] = file
        }
        return newest.values.sorted { $0.path < $1.path }
    }

    /// The occurrences in a file, in the order of the text.
    func occurrences(in file: IndexedFile) throws -> [Occurrence] {
        var error: index_error_t?
        guard let record = library.record_reader_create(store, file.record, &error) else {
            throw CheckError.unreadableIndex(file.path, Self.text(of: error, library))
        }
        defer { library.record_reader_dispose(record) }
        let reader = Collector<Occurrence>(library)
        _ = library.record_reader_occurrences_apply_f(record, reader.pointer) { context, occurrence in
            let reader = Collector<Occurrence>.at(context)
            reader.found.append(Occurrence(occurrence, reader.library))
            return true
        }
        return reader.found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    // MARK: - Units

    private func unitNames() -> [String] {
        let reader = Collector<String>(library)
        _ = library.store_units_apply_f(store, 1, reader.pointer) { context, name in
            Collector<String>.at(context).found.append(String(name))
            return true
        }
        return reader.found
    }

    private func unit(_ name: String, below folder: String) -> IndexedFile? {
        var error: index_error_t?
        // A unit that is being rewritten can't be read; the file counts as not built.
        guard let unit = library.unit_reader_create(store, name, &error) else {
            library.error_dispose(error)
            return nil
        }
        defer { library.unit_reader_dispose(unit) }
        let path = URL(filePath: String(library.unit_reader_get_main_file(unit))).resolvingSymlinksInPath()
            .path
        guard path.hasPrefix(folder + "/"), let record = record(of: unit) else { return nil }
        var (seconds, nanoseconds) = (Int64(0), Int64(0))
        library.unit_reader_get_modification_time(unit, &seconds, &nanoseconds)
        return IndexedFile(
            path: path, module: String(library.unit_reader_get_module_name(unit)), record: record,
            compiledAt: seconds * 1_000_000_000 + nanoseconds)
    }

    /// The record of a unit's own source file; a unit also names those of its imports.
    private func record(of unit: index_unit_t) -> String? {
        let reader = Collector<(name: String, path: String)>(library)
        _ = library.unit_reader_dependencies_apply_f(unit, reader.pointer) { context, dependency in
            let reader = Collector<(name: String, path: String)>.at(context)
            if reader.library.unit_dependency_get_kind(dependency) == 2 {
                reader.found.append(
                    (
                        String(reader.library.unit_dependency_get_name(dependency)),
                        String(reader.library.unit_dependency_get_filepath(dependency))
                    ))
            }
            return true
        }
        let main = String(library.unit_reader_get_main_file(unit))
        return reader.found.first { $0.path == main }?.name
    }

    private static func text(of error: index_error_t?, _ library: index_library_t) -> String {
        defer { library.error_dispose(error) }
        return library.error_get_description(error).map { String(cString: $0) } ?? "unknown error"
    }
}

/// A source file at the time when it was last compiled.
struct IndexedFile {
    let path: String
    let module: String
    let record: String
    /// In nanoseconds since 1970.
    let compiledAt: Int64
}

/// Collects what a C function passes to its callback.
private final class Collector<Value> {
    let library: index_library_t
    var found: [Value] = []

    init(_ library: index_library_t) {
        self.library = library
    }

    /// Valid while the caller holds the collector.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func at(_ pointer: UnsafeMutableRawPointer?) -> Collector {
        Unmanaged<Collector>.fromOpaque(pointer!).takeUnretainedValue()
    }
}

extension String {
    init(_ text: index_string_t) {
        let bytes = UnsafeRawBufferPointer(start: text.data, count: text.length)
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// The toolchain in PATH.
enum Toolchain {
    /// The index library beside the compiler.
    ///
    /// - Throws: ``CheckError`` if there is no compiler.
    static func indexLibrary() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let compiler = folders.map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile)
        guard let compiler else { throw CheckError.noCompiler("swiftc") }
        return indexLibrary(besideCompiler: compiler)
    }

    private static func indexLibrary(besideCompiler compiler: String) -> String {
        let folder = URL(filePath: compiler).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib")
        #if canImport(Darwin)
            return folder.appending(path: "libIndexStore.dylib").path
        #else
            return folder.appending(path: "libIndexStore.so").path
        #endif
    }
}
