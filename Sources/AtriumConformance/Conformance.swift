package import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// Checks an active module for what users and other modules rely on.
///
/// The last checks update and remove the module, so the host is of no use afterwards.
@MainActor
package struct Conformance {
    let name: String
    let scene: Scene
    var host: ShellHost { scene.host }
    /// Replaces the current build of the module's library with another one.
    private let rebuild: @MainActor () throws -> Void
    /// A folder for databases and the files of modules.
    let folder: String
    /// The accepted texts of its stories.
    let accepted: AcceptedStories?
    /// Nil if the module's code is in this process.
    let trial: Trial?
    var report: ConformanceReport
    /// The screens that can't be loaded in scenario success.
    var failing: Set<String> = []

    /// The time limit for loading a screen, and for objects to be released.
    static let limit = Duration.seconds(5)

    package init(
        _ name: String, in scene: Scene, folder: String, accepted: AcceptedStories? = nil,
        trial: Trial? = nil, rebuild: @escaping @MainActor () throws -> Void
    ) {
        (self.name, self.scene, self.folder, self.rebuild) = (name, scene, folder, rebuild)
        (self.accepted, self.trial) = (accepted, trial)
        report = ConformanceReport(module: name)
    }

    package mutating func run() async throws -> ConformanceReport {
        report.looked(at: .start)
        let module: Module
        do {
            module = try await start()
        } catch {
            report.add(.start, Self.message(of: error))
            return report
        }
        // In separate functions: nothing may hold a part of the module when it is unloaded.
        try await checkParts(of: module)
        try await checkUses(of: module)
        // Another one if it was removed in between.
        let present = host.runtime.module(name) ?? module
        try await checkUpdate(present)
        try await checkRemoval(present)
        return report
    }

    /// Starts the module if it is loaded on demand.
    func start() async throws -> Module {
        if host.runtime.module(name)?.isOnDemand == true { _ = try await host.changes.run(.start(name)) }
        guard let module = host.runtime.module(name), module.state.isActive else {
            let state = host.runtime.module(name)?.state
            let reason = state?.reason.map { ": \($0)" } ?? "."
            throw ShellError("notActive", "Module '\(name)' is \(state?.name ?? "unknown")\(reason)")
        }
        return module
    }

    private mutating func checkParts(of module: Module) async throws {
        let screens = module.current?.screens ?? []
        try await checkContainer(screens)
        checkLinks(screens)
        try await checkScreens(screens)
        try await checkStories(module.current?.stories ?? [])
        checkMigrations(module.current?.migrations ?? [])
    }

    // MARK: - The container and links

    private mutating func checkContainer(_ screens: [ScreenRegistration]) async throws {
        let found = try await containerFindings(screens)
        report.looked(at: .container, found.registrations)
        for finding in found.findings {
            report.add(.container, finding.message, hint: finding.hint)
        }
    }

    /// The findings about parts of the module that can't be built.
    func containerFindings(
        _ screens: [ScreenRegistration]
    ) async throws -> (registrations: Int, findings: [(message: String, hint: String?)]) {
        let found = try await host.runtime.verify(host.screens.all, files: folder)
        let owned = Set(found.graph.nodes.filter { $0.module == name }.map(\.name))
        let findings = found.findings.filter {
            $0.module == name || $0.path.contains(where: owned.contains)
        }
        let subjects = owned.map { "\($0) " } + screens.map { "The screen '\($0.pattern)'" }
        let notes = found.notes.filter { subjects.contains(where: $0.hasPrefix) }
        let all = findings.map { ($0.error.message, $0.error.hint) } + notes.map { ($0, nil) }
        return (owned.count, all)
    }

    private mutating func checkLinks(_ screens: [ScreenRegistration]) {
        for screen in screens {
            report.looked(at: .links)
            guard let destination = screen.sample() else { continue }
            do {
                let link = try destination.link()
                let properties = try StateCoding.encode(destination)
                guard let parsed = try screen.destination(try Link(link.description)) else {
                    report.add(
                        .links, "'\(screen.pattern)' does not match the link that it prints: '\(link)'.")
                    continue
                }
                if try StateCoding.encode(parsed) != properties {
                    report.add(
                        .links, "The link '\(link)' of '\(screen.pattern)' loses a part of its destination.")
                }
                if let other = host.screens.screen(for: link), other !== screen {
                    report.add(.links, "The link '\(link)' of '\(screen.pattern)' opens '\(other.pattern)'.")
                }
                let kept = try screen.restore(properties: properties, version: screen.version)
                if try StateCoding.encode(kept) != properties {
                    report.add(
                        .links, "A stack entry of '\(screen.pattern)' loses a part of its destination.")
                }
            } catch {
                report.add(
                    .links, "'\(screen.pattern)' can't print or read its link: \(Self.message(of: error))")
            }
        }
    }

    // MARK: - Migrations

    private mutating func checkMigrations(_ migrations: [Migration]) {
        report.looked(at: .migrations, migrations.count)
        for start in migrations.indices {
            let path = "\(folder)/from-\(start).sqlite"
            defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
            do {
                let earlier = Array(migrations.prefix(start))
                try DatabaseCopy.tryMigrations(earlier, on: path, owner: name)
                try DatabaseCopy.addSampleRows(to: path, owner: name)
                try DatabaseCopy.tryMigrations(migrations, on: path, owner: name)
            } catch {
                let message = Self.message(of: error).replacing(" at \(path)", with: "")
                report.add(.migrations, "From version \(start), with a row in each table: \(message)")
            }
        }
    }

    // MARK: - Update and removal

    private mutating func checkUpdate(_ module: Module) async throws {
        report.looked(at: .update)
        let coordinator = scene.coordinator
        for screen in module.current?.screens ?? [] {
            // A guard may refuse; only the screens that open are compared.
            guard let link = try? screen.sample()?.link() else { continue }
            _ = try? await coordinator.open(link)
        }
        do {
            let stack = try StateCoding.encode(coordinator.archive())
            let state = try Self.state(of: module)
            try rebuild()
            let change = try await host.changes.run(.update([name]))
            for warning in change.warnings { report.add(.update, warning.message) }
            if try StateCoding.encode(coordinator.archive()) != stack {
                report.add(.update, "The stack, or the state of its view models, is another one afterwards.")
            }
            if try Self.state(of: module) != state {
                report.add(
                    .update, "The module's state is another one afterwards.",
                    hint: "snapshot(version:) and restore(_:) have to fit together.")
            }
        } catch {
            report.add(.update, Self.message(of: error))
        }
    }

    private static func state(of module: Module) throws -> String? {
        guard let generation = module.current else { return nil }
        return try generation.snapshot(version: generation.stateVersion)?.json
    }

    private mutating func checkRemoval(_ module: Module) async throws {
        report.looked(at: .removal)
        do {
            let change = try await host.changes.run(.remove([name]))
            for warning in change.warnings { report.add(.removal, warning.message) }
            try await scene.coordinator.navigate(NavigationRequest(.root).forced())
        } catch {
            return report.add(.removal, Self.message(of: error))
        }
        var generations: [GenerationReport] = []
        try await Self.wait {
            generations = host.runtime.generations(of: module).generations.filter { $0.state == .draining }
            return generations.isEmpty
        }
        for generation in generations {
            for task in generation.tasks {
                report.add(
                    .removal, "The task '\(task)' goes on.", hint: "It has to end when it is cancelled.")
            }
            for object in generation.held {
                let holders =
                    object.holders.isEmpty ? "" : ", held by \(object.holders.joined(separator: ", "))"
                report.add(.removal, "\(object.type) is alive\(holders).")
            }
            if generation.tasks.isEmpty, generation.held.isEmpty {
                report.add(.removal, "Something holds the module: a closure or a task that it made.")
            }
        }
    }

    // MARK: - Tools

    /// Waits until a condition holds, at most ``limit``.
    static func wait(until holds: () -> Bool) async throws {
        for _ in 0..<500 where !holds() { try await Task.sleep(for: limit / 500) }
    }

    static func message(of error: any Error) -> String {
        (error as? any ExplainedError)?.message ?? "an error of type \(type(of: error))."
    }
}
