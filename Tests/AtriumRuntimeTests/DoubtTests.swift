@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import Foundation
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

private final class AnyModule: FeatureModule {
    init() {}
    func register(in registry: ModuleRegistry) {}
}

/// What has to be confirmed before a change, and what stays known of a removed module.
@Suite("Doubtful changes")
@MainActor
struct DoubtTests {
    private let folder = TemporaryFolder()

    private func write(
        _ version: String, to file: String, entry: String = "ReportsModule", screens: String = "{}"
    ) throws -> String {
        let json = manifestJSON("Reports", version: version, screens: screens)
            .replacing("ReportsModule", with: entry)
        let image = ELFImage(
            machine: try SystemLibrary.machine(),
            [(".atrium.manifest", Array(json.utf8)), (".text", Array(file.utf8))])
        try FileManager.default.createDirectory(
            atPath: FileSystem.folder(of: folder.path(file)), withIntermediateDirectories: true)
        return folder.write(image.bytes, to: file)
    }

    private func manager(_ path: String? = nil) async -> ModuleManager {
        let runtime = ModuleRuntime(
            modules: path.map { [.init(name: "Reports", path: $0)] } ?? [], searchPaths: [folder.path],
            storeFolder: folder.path("store"), site: EmptySite())
        runtime.open = { _ in DynamicLibrary(address: nil) { AnyModule() } }
        await runtime.start()
        return ModuleManager(runtime)
    }

    /// Checks that a plan and a refusal have the same doubts, and that a confirmed command is carried out.
    private func expect(
        _ doubts: [String], of command: ModuleCommand, by manager: ModuleManager, then version: String
    ) async throws {
        let before = manager.runtime.module("Reports")?.current?.version.description
        let refusal = await #expect(throws: UnconfirmedChange.self) {
            try await manager.run(command, isConfirmed: false)
        }

        #expect(refusal?.doubts == doubts)
        #expect(try await manager.plan(command).doubts == doubts)
        #expect(manager.runtime.module("Reports")?.current?.version.description == before)
        _ = try await manager.run(command)
        #expect(manager.runtime.module("Reports")?.current?.version.description == version)
    }

    @Test("A lower version is confirmed first, at the same path and at another")
    func lowerVersion() async throws {
        let path = try write("1.0.0", to: "libReports.so")
        let manager = await manager(path)
        let other = try write("0.2.0", to: "other/libReports.so")
        try await expect(
            ["Reports 0.2.0 at '\(other)' is older than the current version 1.0.0."], of: .update([other]),
            by: manager,
            then: "0.2.0")

        _ = try write("0.1.0", to: "other/libReports.so")
        try await expect(
            ["Reports 0.1.0 at '\(other)' is older than the current version 0.2.0."],
            of: .update(["Reports"]), by: manager, then: "0.1.0")
    }

    @Test("Of two files of one name the newer one is taken, after a confirmation")
    func twoFiles() async throws {
        let manager = await manager()
        let new = try write("1.1.0", to: "a/libReports.so")
        let old = try write("1.0.0", to: "b/libReports.so")

        try await expect(
            [
                "Two files contain module Reports: '\(new)' (1.1.0) and '\(old)' (1.0.0). "
                    + "'\(new)' would be used."
            ],
            of: .add([new, old]), by: manager, then: "1.1.0")
    }

    @Test("Of the current build and an older file the current one is kept, after a confirmation")
    func currentFile() async throws {
        let new = try write("1.1.0", to: "a/libReports.so")
        let old = try write("1.0.0", to: "b/libReports.so")
        let manager = await manager(new)

        for command in [
            ModuleCommand.add([folder.path("b"), folder.path("a")]), .update([old, new]),
        ] {
            try await expect(
                [
                    "Two files contain module Reports: '\(old)' (1.0.0) and '\(new)' (1.1.0). "
                        + "'\(new)' would be used."
                ],
                of: command, by: manager, then: "1.1.0")
        }
    }

    @Test("Another module of the same name is confirmed first")
    func otherModule() async throws {
        let manager = await manager(try write("1.0.0", to: "mine/.build/release/libReports.so"))
        let entry = try write("1.1.0", to: "libReports.so", entry: "SalesModule")
        try await expect(
            [
                "'\(entry)' may be a different module named Reports: its class is SalesModule, not "
                    + "ReportsModule."
            ], of: .update([entry]), by: manager, then: "1.1.0")

        let second = await self.manager(folder.path("mine/.build/release/libReports.so"))
        let package = try write("1.2.0", to: "yours/.build/release/libReports.so")
        try await expect(
            [
                "'\(package)' may be a different module named Reports: it comes from "
                    + "'\(folder.path("yours"))', not from '\(folder.path("mine"))'."
            ], of: .update([package]), by: second, then: "1.2.0")
    }

    @Test("A newer build at the same path is not asked about")
    func newer() async throws {
        let path = try write("1.0.0", to: "libReports.so")
        let manager = await manager(path)
        _ = try write("1.1.0", to: "libReports.so")

        _ = try await manager.run(.update([]), isConfirmed: false)

        #expect(manager.runtime.module("Reports")?.current?.version.description == "1.1.0")
    }

    @Test("The words of a removed module say that it was removed and how it returns, also after a restart")
    func removed() async throws {
        let path = try write("1.0.0", to: "libReports.so", screens: "{\"reports\": \"All reports\"}")
        let manager = await manager(path)
        // The class registers no screen, so it is removed without having been loaded.
        _ = try await manager.run(.remove(["Reports"]))
        var installed = manager.installed

        let next = await self.manager()
        next.runtime.apply(installed)

        for runtime in [manager.runtime, next.runtime] {
            let error = runtime.reasonAgainst(["reports"]) { $0 == "reports" }
            #expect(error?.message.hasPrefix("Module 'Reports' was removed at ") == true)
            #expect(error?.hint == "module add \(path)")
        }
        installed.forget("Reports")
        #expect(installed.former == nil)
    }
}
