import AtriumBackup
import AtriumCrash
import AtriumKit
import AtriumLibraries
import AtriumModules
import AtriumPrompt
internal import AtriumRepositories
internal import AtriumSnippets
import AtriumStorage
internal import AtriumText
internal import AtriumViews

/// The modes that need no host.
@MainActor
enum HostTasks {
    /// Creates a package for a new module.
    static func makePackage(_ name: String, _ options: Options) throws -> ExitStatus {
        let package = try NewPackage.make(
            name, template: options.template ?? "minimal", in: options.parentFolder ?? ".",
            sdk: Installation.current.sdk, taken: Installation.current.manifests)
        return print(InstallationViews.made(package), of: "new", options)
    }

    static func indexRepository(_ folder: String, _ options: Options) throws -> ExitStatus {
        let report = try RepositoryWriter.write(folder, key: options.signingKey, now: SystemClock().now())
        return print(RepositoryViews.indexed(report), of: "repository index", options)
    }

    static func showPaths(_ options: Options) -> ExitStatus {
        let configuration = try? ConfigurationFile.find(options.configurationFile)
        let data = try? DataFolder(explicit: options.dataFolder ?? configuration?.dataFolder)
        let content = InstallationViews.paths(.current, configuration: configuration?.path, data: data?.path)
        // Paths are not wrapped, so that they can be copied.
        return Report.print(content, nil, of: "paths", isJSON: options.isJSON, width: 10_000)
    }

    static func showDocuments(_ options: Options) throws -> ExitStatus {
        guard let sdk = Installation.current.sdk else { throw NewPackageError.noSDK }
        let content = InstallationViews.documents(sdk)
        return Report.print(content, nil, of: "docs", isJSON: options.isJSON, width: 10_000)
    }

    /// Writes a backup of the data folder, which a running host may use meanwhile.
    static func backUp(to file: String, _ options: Options) throws -> ExitStatus {
        let report = try Backup.write(
            options.folder(), to: file, version: HostVersion.current, now: SystemClock().now())
        return print(BackupViews.made(report), of: "backup", options)
    }

    /// Creates the data folder from a backup.
    static func restore(from file: String, _ options: Options) throws -> ExitStatus {
        let report = try Backup.restore(file, to: options.folder(), version: HostVersion.current)
        return print(BackupViews.restored(report), of: "restore", options)
    }

    private static func print(
        _ view: (content: Content, message: String?), of mode: String, _ options: Options
    ) -> ExitStatus {
        Report.print(view.content, view.message, of: mode, isJSON: options.isJSON)
    }

    /// Tries the modules of the request in a scratch folder, as the child process of a preflight.
    static func runPreflight(in folder: String) async throws -> ExitStatus {
        let data = try DataFolder(explicit: folder)
        CrashHandler.install(recordPath: data.path(PreflightChild.crashFile))
        let site = HostSite(environment: .mock, data: data, isTrial: true)
        var child = try PreflightChild(folder: folder, site: site)
        await child.run()
        return .done
    }

    /// Completes code, as a child process of a prompt.
    static func runSourceKit(_ file: String) throws -> ExitStatus {
        guard let answer = try SourceKit.answer(requestIn: file) else { return .failed }
        let output = OutputStream.standardOutput
        try output.write(answer)
        try output.flush()
        return .done
    }
}

extension Options {
    /// The data folder of the options, else of the configuration.
    func folder() throws -> DataFolder {
        try DataFolder(explicit: dataFolder ?? ConfigurationFile.find(configurationFile).dataFolder)
    }
}
