import AtriumCommands
import AtriumConformance
import AtriumCrash
@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumManifest
import AtriumModules
import AtriumPrompt
import AtriumStorage
internal import AtriumText

/// `atrium verify --module PATH`: checks modules that no host has loaded yet, in a separate data folder.
@MainActor
enum ModuleVerification {
    static func run(_ path: String, _ options: Options) async throws -> ExitStatus {
        let folder = try Folder.makeTemporary("atrium-verify")
        defer { FileSystem.remove(folder) }
        let copies = "\(folder)/libraries"
        _ = try Folder.make(copies)
        CrashHandler.install(recordPath: "\(folder)/crash")
        let modules = try await CandidateModule.copies(of: path, to: copies) { line in
            if !options.isJSON { Report.note(line) }
        }
        var status = ExitStatus.done
        let package = FileSystem.normalized(FileSystem.absolute(path))
        if options.updates, FileStatus(of: package)?.kind != .folder {
            throw ShellError(
                "usage",
                "'\(path)' is not a package folder; accepted texts are stored in one.",
                hint: "atrium verify --module PACKAGE --update", category: .usage)
        }
        for (number, module) in modules.enumerated() {
            let accepted = AcceptedStories(
                of: module.manifest.name, in: package, updates: options.updates)
            let report = try await check(module, number, in: folder, accepted, options)
            let own = Report.print(report, version: "\(module.manifest.version)", isJSON: options.isJSON)
            if status == .done { status = own }
        }
        return status
    }

    /// The configuration; nil if none was named and none exists: a module that requires nothing needs none.
    private static func configuration(_ options: Options) throws -> ConfigurationFile? {
        do {
            return try ConfigurationFile.find(options.configurationFile)
        } catch let error as any ExplainedError
            where error.code == "configurationMissing" && options.configurationFile == nil
        {
            return nil
        }
    }

    private static func trial(
        in runtime: ModuleRuntime, _ data: DataFolder, _ options: Options
    ) -> Conformance.Trial {
        let preflight = Preflight(
            executable: HostExecutable.path, folder: data.path("verdicts"), limit: options.preflightLimit,
            copySample: nil)
        return { try await runtime.trial(of: $0, without: $1, in: preflight) }
    }

    /// Checks a module in a host together with the modules of `modules.json`, which it may require.
    private static func check(
        _ module: CandidateModule, _ number: Int, in folder: String, _ accepted: AcceptedStories?,
        _ options: Options
    ) async throws -> ConformanceReport {
        let configuration = try configuration(options)
        let name = module.manifest.name
        let data = try DataFolder(explicit: "\(folder)/data-\(number)")
        try data.prepare()
        // The time of a test's clock, so that stories have the same times in both.
        let clock = StandingClock(Timestamp(microseconds: 1_767_225_600_000_000))
        let site = HostSite(environment: .mock, data: data, clock: clock)
        let runtime = ModuleRuntime(
            modules: configuration?.modules.filter { $0.name != name } ?? [],
            searchPaths: configuration?.searchPaths ?? [], storeFolder: data.path("modules"), site: site,
            stepLimit: options.stepLimit)
        await runtime.start(options.selection)
        let host = ShellHost(
            screens: site.screens, stacks: site.stacks, runtime: runtime, environment: .mock,
            mocks: site.mocks, clock: site.clock)
        do {
            _ = try await host.changes.run(.add([module.library]))
        } catch let error as any ExplainedError {
            return ConformanceReport(module: name, refusedBecause: error)
        }
        var conformance = Conformance(
            name, in: host.beginScene("verify"), folder: data.path("modules"), accepted: accepted,
            trial: trial(in: runtime, data, options)
        ) { try module.rebuild() }
        let report = try await conformance.run()
        await runtime.stop()
        await site.close()
        return report
    }
}
