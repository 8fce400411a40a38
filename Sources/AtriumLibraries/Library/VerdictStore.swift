@_spi(Host) package import AtriumKit
internal import AtriumStorage
internal import Glibc

package enum Verdict: Sendable {
    /// It was loaded and registered, and all of its registrations could be built.
    case passed
    case refused(ModuleError)
}

/// Stores the verdicts on libraries, each under the library's digest.
///
/// Another build of the host tries every library again. A pass is a symbolic link to the identity of the host
/// that tried the library, so that looking it up takes one system call. A refusal expires after a day: a
/// single failure may have been due to the machine.
package struct VerdictStore {
    private let folder: String
    /// Identifies the build of the host: the identities of the executable and of AtriumKit.
    private let host: String
    private let clock: any WallClock
    /// The validity of a refusal, in microseconds.
    static let validity: Int64 = 24 * 3_600 * 1_000_000

    /// A refusal, with facts about its library.
    struct Refusal: Codable {
        let error: ModuleError
        let module: String
        /// The library's original path.
        let source: String
        /// The limits of the preflight, in words.
        let limits: String
        /// The time of the preflight, in microseconds since 1970.
        let time: Int64
        /// The build of the host that tried it.
        let host: String
    }

    package init(folder: String, executable: String, clock: any WallClock = SystemClock()) {
        self.folder = folder
        self.clock = clock
        let kit = FileSystem.identity(of: FileSystem.folder(of: executable) + "/libAtriumKit.so") ?? "-"
        host = (FileSystem.identity(of: executable) ?? "-") + "+" + kit
    }

    package func verdict(on digest: String) -> Verdict? {
        if FileSystem.linkTarget(mark(digest)) == host { return .passed }
        return refusal(file(digest)).map { .refused($0.error.asKept(tried: $0.time, $0.limits)) }
    }

    /// The original paths and digests of the currently refused libraries of module `name`.
    package func refusals(of name: String) -> [(digest: String, source: String)] {
        (Folder.names(in: folder) ?? []).filter { $0.hasSuffix(".json") }.compactMap { file in
            guard let refusal = refusal("\(folder)/\(file)"), refusal.module == name else { return nil }
            return (String(file.dropLast(5)), refusal.source)
        }
    }

    private func refusal(_ file: String) -> Refusal? {
        guard let kept = try? stateFile(file).peek(Refusal.self), kept.host == host else { return nil }
        // The age is negative if the clock was set back.
        let age = clock.now().microseconds.subtractingClamped(kept.time)
        return (0..<Self.validity).contains(age) ? kept : nil
    }

    /// Stores that a library passed; if storing fails, it is tried again next time.
    package func storePass(of digest: String) {
        try? FileSystem.makeFolder(folder)
        unlink(mark(digest))
        symlink(host, mark(digest))
        unlink(file(digest))
    }

    /// Stores the reason why a library was refused; if storing fails, it is tried again next time.
    package func store(_ error: ModuleError, on library: CheckedLibrary, limits: String) {
        let refusal = Refusal(
            error: error, module: library.name, source: library.source, limits: limits,
            time: clock.now().microseconds, host: host)
        try? FileSystem.makeFolder(folder)
        unlink(mark(library.digest))
        try? stateFile(file(library.digest)).save(refusal)
    }

    package func remove(_ digest: String) { unlink(file(digest)) }

    private func stateFile(_ path: String) -> StateFile {
        StateFile(path: path, isDurable: false, limit: 1 << 20)
    }

    private func file(_ digest: String) -> String { "\(folder)/\(digest).json" }
    private func mark(_ digest: String) -> String { "\(folder)/\(digest).passed" }
}

extension ModuleError {
    /// The error as reported later, with its time and limits.
    fileprivate func asKept(tried time: Int64, _ limits: String) -> ModuleError {
        let tried = Timestamp(microseconds: time)
        return ModuleError(
            code, "\(message) It was tried at \(tried) with \(limits); that counts for a day.", hint: hint)
    }
}
