@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
package import AtriumStorage

/// A copy of a data folder, which goes with its host.
///
/// It lies in the folder `sandboxes` of the original, in a scratch folder: the next host on the original removes
/// the copies that killed hosts have left.
@MainActor
package final class Sandbox {
    nonisolated static let folderName = "sandboxes"
    package let data: DataFolder
    package let original: DataFolder
    private var scratch: ScratchFolder?

    /// Left out of the copy: files about another process, and the snapshots, which it shares with the original.
    private static let leftOut: Set = [
        "crash", "start", Snapshots.folderName, FolderExchange.folderName, FolderExchange.fileName,
        PendingReset.fileName,
    ]

    /// Copies a data folder, also while a host runs on it.
    ///
    /// - Throws: ``BackupError``, `StorageError`, `FileError` or `DatabaseError`; no copy is left then.
    package init(of original: DataFolder) throws {
        self.original = original
        let scratch = try ScratchFolder(in: Folder.make(original.path(Self.folderName)))
        data = try DataFolder(explicit: Folder.make(scratch.path("data")))
        // Only the host of the folder may complete a reset.
        guard !FileSystem.exists(original.path(FolderExchange.fileName)) else {
            throw BackupError.resetPending
        }
        let copying = try FolderAccess.copying(original.path)
        defer { copying.end() }
        try FolderCopy(folder: original.path, target: data.path).make(without: Self.leftOut)
        self.scratch = consume scratch
    }

    package func remove() { scratch = nil }

    /// Removes the copies in a data folder whose hosts have ended.
    package static func removeLeftovers(in data: DataFolder) {
        let folder = data.path(folderName)
        guard Folder.names(in: folder)?.isEmpty == false else { return }
        // A new one removes those without a lock.
        _ = try? ScratchFolder(in: folder)
    }
}
