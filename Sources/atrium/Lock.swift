import AtriumRuntime
import AtriumShell

/// Writes modules.lock: the digests of the libraries that lie there now.
@MainActor
enum Lock {
    static func run(_ runtime: ModuleRuntime, _ configuration: ConfigurationFile) throws -> ExitStatus {
        let lock = try runtime.lock()
        try lock.write(to: configuration.lockPath)
        let lines = lock.modules.sorted { $0.key < $1.key }.map { name, entry in
            "\(name) \(entry.version) \(entry.digest.prefix(16))…"
        }
        return Report.print((lines + ["Wrote \(configuration.lockPath)."]).joined(separator: "\n"))
    }
}
