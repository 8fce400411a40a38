@_spi(Host) internal import AtriumKit
internal import AtriumStorage
internal import Glibc

enum Verdict: Sendable {
    /// It was loaded, registered, and everything that it registers could be built.
    case passed
    case refused(ModuleError)
}

/// Stores the verdicts on libraries, each under the library's digest.
///
/// Another build of the host tries every library again. A pass is a symbolic link to the name of the host that
/// tried the library, so that looking it up takes one system call.
struct VerdictStore {
    private let folder: String
    /// What changes with every build of the host: the identities of the executable and of AtriumKit.
    private let host: String

    private struct Kept: Codable {
        let refusal: ModuleError
        /// Which build of the host tried it.
        let host: String
    }

    init(folder: String, executable: String) {
        self.folder = folder
        let kit = FileSystem.identity(of: FileSystem.folder(of: executable) + "/libAtriumKit.so") ?? "-"
        host = (FileSystem.identity(of: executable) ?? "-") + "+" + kit
    }

    func verdict(on digest: String) -> Verdict? {
        if FileSystem.linkTarget(mark(digest)) == host { return .passed }
        guard let bytes = try? FileContents.read(file(digest)),
            let kept = try? StateCoding.decode(Kept.self, from: String(decoding: bytes, as: UTF8.self)),
            kept.host == host
        else { return nil }
        return .refused(kept.refusal)
    }

    /// Stores a verdict; if that fails, the library is tried again next time.
    func store(_ verdict: Verdict, on digest: String) {
        try? FileSystem.makeFolder(folder)
        unlink(mark(digest))
        switch verdict {
        case .passed: symlink(host, mark(digest))
        case .refused(let error):
            guard let text = try? StateCoding.encode(Kept(refusal: error, host: host)) else { return }
            try? AtomicFile.write(Array(text.utf8), to: file(digest), synchronizing: false)
        }
    }

    func remove(_ digest: String) { unlink(file(digest)) }

    private func file(_ digest: String) -> String { "\(folder)/\(digest).json" }
    private func mark(_ digest: String) -> String { "\(folder)/\(digest).passed" }
}
