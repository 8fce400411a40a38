import Glibc

/// A folder for the files of one transfer, which nobody else may enter; it goes with its content.
///
/// What a killed process left is removed when the next one is made.
struct TemporaryFolder: ~Copyable {
    private let path: String
    /// Holds the lock that says that the folder is in use.
    private let descriptor: CInt

    /// Where such folders are made unless somebody says otherwise.
    static var standard: String {
        getenv("TMPDIR").map { String(cString: $0) }.flatMap(\.nilIfEmpty) ?? "/tmp"
    }

    /// Makes a folder with mode 0700.
    ///
    /// - Throws: ``EntityFileError``.
    init(in parent: String = standard) throws(EntityFileError) {
        LockedName.removeLeftovers(in: parent, .folder)
        guard let made = LockedName.makeFolder(in: parent) else { throw .unwritable(parent, errno) }
        (path, descriptor) = (made.path, made.descriptor)
    }

    deinit {
        FolderNames.removeFolder(path)
        close(descriptor)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
