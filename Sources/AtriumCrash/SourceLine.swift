internal import AtriumLibraries
internal import Glibc

/// Finds the line of the source that an address in a library's file was compiled from, with `addr2line`.
///
/// A stripped library has its debug information in a separate file, named after its build id
/// (https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html).
struct SourceLine {
    /// The folders that contain `.build-id`.
    private let debugFolders: [String]
    private let program: String?
    private let limit: Duration

    init(debugFolders: [String], path: String? = nil, limit: Duration = .seconds(3)) {
        self.debugFolders = debugFolders
        self.limit = limit
        program = PackageBuild.find("addr2line", in: path)
    }

    /// `/home/ada/Notes/Sources/Notes/View/NotesView.swift:22`; nil without debug information or addr2line.
    func find(_ offset: UInt64, in library: String) async -> String? {
        guard let program, let file = debugFile(of: library),
            let child = try? ChildProcess(
                program, ["--exe", file, "0x" + String(offset, radix: 16)], .output)
        else { return nil }
        let watchdog = Task {
            try await Task.sleep(for: limit)
            child.end(grace: 0)
        }
        defer { watchdog.cancel() }
        var line: String?
        if let output = child.output {
            for await text in output where line == nil { line = text }
        }
        guard await child.wait().isSuccess else { return nil }
        return line.flatMap(Self.read)
    }

    /// Reads `FILE:LINE`, `FILE:LINE (discriminator 2)`, or `??:?`, which means unknown.
    static func read(_ text: String) -> String? {
        let line = text.prefix { $0 != " " }
        let parts = line.split(separator: ":")
        guard parts.count >= 2, let number = parts.last.flatMap({ Int($0) }), number > 0, !line.hasPrefix("?")
        else { return nil }
        return String(line)
    }

    /// The file with the debug information of a library; nil if there is none.
    private func debugFile(of library: String) -> String? {
        guard let file = try? RandomAccessFile(library), let image = try? ELFFile(file) else { return nil }
        if (try? image.section(".debug_line")) ?? nil != nil { return library }
        // Sizes of the name ("GNU" and a zero) and of the id, a type, the name, the id.
        guard let note = (try? image.section(".note.gnu.build-id")) ?? nil, note.count > 17 else {
            return nil
        }
        let digits = Array(note[16...]).hexadecimal
        return debugFolders.lazy.map { "\($0)/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug" }
            .first(where: FileSystem.exists)
    }
}

extension CrashRecord {
    /// The record with the source line of its function, if there is debug information.
    package func withSourceLine(debugFolders: [String]) async -> CrashRecord {
        await withSourceLine(SourceLine(debugFolders: debugFolders))
    }

    func withSourceLine(_ finder: SourceLine) async -> CrashRecord {
        guard let index = functionIndex, let offset = frames[index].fileOffset,
            let image = image(of: frames[index])
        else { return self }
        var record = self
        record.frames[index].line = await finder.find(offset, in: image.path)
        return record
    }
}
