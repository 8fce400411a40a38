@_spi(Host) internal import AtriumKit
internal import AtriumStorage
internal import Glibc

/// The result of trying a library in a child process.
enum Verdict: Sendable {
    /// It was loaded, registered, and everything that it registers could be built.
    case passed
    /// It did harm.
    case refused(ModuleError)
}

/// A verdict as it is stored.
struct KeptVerdict: Codable {
    /// Nil if it passed.
    let refusal: Refusal?
    /// Which build of the host tried it.
    let host: String

    struct Refusal: Codable {
        let code: String
        let message: String
        let hint: String?
    }
}

/// Stores the verdicts on libraries, each under the library's digest.
///
/// Another build of the host tries every library again. A pass is a symbolic link to the name of the host that
/// tried the library, so that looking it up takes one system call.
struct VerdictStore {
    private let folder: String
    /// What changes with every build of the host: the identities of the executable and of AtriumKit.
    private let host: String

    /// - Parameters:
    ///   - folder: Where the verdicts are stored; created with the first.
    ///   - executable: The host.
    init(folder: String, executable: String) {
        self.folder = folder
        let folder = String(executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
        let kit = FileSystem.identity(of: folder + "/libAtriumKit.so") ?? "-"
        host = (FileSystem.identity(of: executable) ?? "-") + "+" + kit
    }

    func verdict(on digest: String) -> Verdict? {
        if FileSystem.linkTarget(mark(digest)) == host { return .passed }
        guard let bytes = try? FileContents.read("\(folder)/\(digest).json"),
            let kept = try? StateCoding.decode(
                KeptVerdict.self, from: String(decoding: bytes, as: UTF8.self)),
            kept.host == host, let refusal = kept.refusal
        else { return nil }
        return .refused(
            ModuleError(ErrorCode(rawValue: refusal.code), refusal.message, hint: refusal.hint))
    }

    /// Stores a verdict; if that fails, the library is tried again next time.
    func store(_ verdict: Verdict, on digest: String) {
        try? FileSystem.makeFolder(folder)
        unlink(mark(digest))
        switch verdict {
        case .passed:
            symlink(host, mark(digest))
        case .refused(let error):
            let refusal = KeptVerdict.Refusal(
                code: error.code.rawValue, message: error.message, hint: error.hint)
            guard let text = try? StateCoding.encode(KeptVerdict(refusal: refusal, host: host)) else {
                return
            }
            try? AtomicFile.write(Array(text.utf8), to: "\(folder)/\(digest).json", synchronizing: false)
        }
    }

    /// Removes a refusal.
    func remove(_ digest: String) {
        unlink("\(folder)/\(digest).json")
    }

    private func mark(_ digest: String) -> String { "\(folder)/\(digest).passed" }
}
