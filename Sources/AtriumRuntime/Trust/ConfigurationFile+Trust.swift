internal import AtriumManifest

extension ConfigurationFile {
    /// Where the lock is: beside modules.json.
    package var lockPath: String {
        let folder = FileSystem.folder(of: path)
        return folder == "/" ? "/\(LockFile.name)" : "\(folder)/\(LockFile.name)"
    }

    /// What libraries must show, with the lock that is there now.
    ///
    /// - Throws: ``ConfigurationError`` where the lock is damaged, whatever the policy, or a key is none.
    package func trustPolicy() throws(ConfigurationError) -> TrustPolicy {
        try TrustPolicy(host.trust, lock: try LockFile.read(lockPath), lockPath: lockPath)
    }
}
