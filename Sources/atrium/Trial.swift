@_spi(Host) import AtriumKit
import AtriumRuntime
import AtriumShell
import AtriumStorage

/// The child process in which a host tries new modules.
@MainActor
enum Trial {
    /// Tries what the request in the scratch folder names.
    static func run(in folder: String) async throws -> ExitStatus {
        let data = try DataFolder(explicit: folder)
        CrashHandler.install(recordPath: data.path(PreflightChild.crashFile))
        let site = HostSite(environment: .mock, data: data)
        var child = try PreflightChild(folder: folder, site: site)
        await child.run()
        return .done
    }
}
