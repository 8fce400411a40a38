/// The folder for a module's own files.
public enum ModuleFolder {
    /// Makes the folder for its owner alone, with the folders above it, unless it is there.
    ///
    /// - Returns: Its path.
    public static func make(_ path: String) throws -> String {
        do throws(SystemError) {
            try FolderCreation.create(path)
        } catch {
            throw StorageError.unwritable(path, error)
        }
        return path
    }
}
