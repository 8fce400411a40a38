import CIndexStore
import FoundationEssentials

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
            throw CheckError(
                "there is no index at \(path); debug builds write one: run 'swift build', without -c release")
        }
        let functions = UnsafeMutablePointer<index_library_t>.allocate(capacity: 1)
        defer { functions.deallocate() }
        if let problem = index_library_open(libraryPath, functions) {
            throw CheckError(
                "\(libraryPath) can't be used: \(String(cString: problem)); "
                    + "name the toolchain's libIndexStore with --library")
        }
        library = functions.pointee
        var error: index_error_t?
        guard let store = library.store_create(path, &error) else {
            throw Self.unreadable(path, error, library)
        }
        self.store = store
    }

    /// The newest unit of each source file below `folder`, by its path, including files that no longer exist.
    func files(below folder: String) throws -> [String: IndexedFile] {
        var newest: [String: IndexedFile] = [:]
        for name in unitNames() {
            guard let file = unit(name, below: folder),
                file.compiledAt > newest[file.path]?.compiledAt ?? .min
            else { continue }
            newest[file.path] = file
        }
        return newest
    }

    /// The occurrences in a file, in textual order.
    func occurrences(in file: IndexedFile) throws -> [Occurrence] {
        var error: index_error_t?
        guard let record = library.record_reader_create(store, file.record, &error) else {
            throw Self.unreadable(file.path, error, library)
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

    /// The index library beside the compiler in PATH.
    static func toolchainLibrary() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let compiler = folders.map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile)
        guard let compiler else {
            throw CheckError(
                "there is no 'swiftc' in PATH; name the toolchain's libIndexStore with --library")
        }
        #if canImport(Darwin)
            let name = "libIndexStore.dylib"
        #else
            let name = "libIndexStore.so"
        #endif
        return URL(filePath: compiler).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib/\(name)").path
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
        let main = String(library.unit_reader_get_main_file(unit))
        // A source may be a symbolic link to a file that several targets share.
        let paths = [main, URL(filePath: main).resolvingSymlinksInPath().path]
        guard let path = paths.first(where: { $0.hasPrefix(folder + "/") }),
            let record = record(of: unit, main)
        else { return nil }
        var (seconds, nanoseconds) = (Int64(0), Int64(0))
        library.unit_reader_get_modification_time(unit, &seconds, &nanoseconds)
        return IndexedFile(path: path, record: record, compiledAt: seconds * 1_000_000_000 + nanoseconds)
    }

    /// The record of a unit's own source file; a unit also names those of its imports.
    private func record(of unit: index_unit_t, _ main: String) -> String? {
        let reader = Collector<(name: String, path: String)>(library)
        _ = library.unit_reader_dependencies_apply_f(unit, reader.pointer) { context, dependency in
            let reader = Collector<(name: String, path: String)>.at(context)
            let library = reader.library
            if library.unit_dependency_get_kind(dependency) == 2 {
                let name = String(library.unit_dependency_get_name(dependency))
                reader.found.append((name, String(library.unit_dependency_get_filepath(dependency))))
            }
            return true
        }
        return reader.found.first { $0.path == main }?.name
    }

    private static func unreadable(
        _ path: String, _ error: index_error_t?, _ library: index_library_t
    ) -> CheckError {
        defer { library.error_dispose(error) }
        let reason = library.error_get_description(error).map { String(cString: $0) } ?? "unknown error"
        return CheckError("the index of \(path) can't be read: \(reason); delete it and run 'swift build'")
    }
}

/// A source file as of its last compilation.
struct IndexedFile {
    let path: String
    let record: String
    /// In nanoseconds since 1970.
    let compiledAt: Int64
}

/// Collects the values that a C function passes to its callback.
final class Collector<Value> {
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
