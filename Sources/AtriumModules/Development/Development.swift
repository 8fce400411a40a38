internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// Builds a package whenever its sources change, and loads the result into the running host.
@MainActor
package final class Development {
    private let folder: String
    private let build: PackageBuild
    /// The folder of the products; nil until the first build has succeeded.
    private var products: String?
    private let changes: ModuleManager
    private let announce: @MainActor (String) -> Void
    private var watcher: SourceWatcher?
    private var isBuilding = false
    /// True if sources have changed since the running build began.
    private var hasChanged = false
    /// True if the next build compiles everything.
    private var compilesAll = false
    /// True if the modules have been loaded since the start.
    private var hasLoaded = false
    /// Called with the links of the modules' screens that need no values, once the modules have been loaded.
    package var didLoad: @MainActor (_ links: [String]) async -> Void = { _ in }
    /// Called with the links of the stack's screens that were rebuilt.
    package var didRebuild: @MainActor (_ links: [String]) async -> Void = { _ in }

    /// The folder of a package.
    ///
    /// - Throws: ``ModuleError`` if the path is not a package.
    package static func package(at path: String) throws -> String {
        let folder = FileSystem.normalized(FileSystem.absolute(path))
        guard FileSystem.exists("\(folder)/Package.swift") else {
            throw ModuleError(
                .notFound, "'\(path)' is not the folder of a Swift package: it has no Package.swift.",
                hint: "atrium new NAME && atrium dev NAME")
        }
        return folder
    }

    /// - Parameters:
    ///   - folder: The package's folder.
    ///   - changes: Loads the modules into the host.
    ///   - announce: Shows the user a line.
    /// - Throws: ``ModuleError`` if the folder is not a package, or there is no toolchain.
    package init(
        _ folder: String, _ changes: ModuleManager, announce: @escaping @MainActor (String) -> Void
    ) throws {
        self.folder = try Self.package(at: folder)
        self.changes = changes
        self.announce = announce
        // An optimized build compiles the whole module for each change.
        build = try PackageBuild(self.folder, .debug)
    }

    /// Builds and loads the modules, then watches the sources.
    ///
    /// Build errors are announced.
    ///
    /// - Throws: ``ModuleError`` if the sources can't be watched.
    package func start() async throws {
        watcher = try SourceWatcher(folder) { [weak self] in self?.sourcesChanged($0) }
        announce("Building \(folder) …")
        isBuilding = true
        await refresh()
        isBuilding = false
        if hasChanged { follow() }
    }

    private func sourcesChanged(_ change: SourceWatcher.Change) {
        hasChanged = true
        if change.isWithinSecond { compilesAll = true }
        follow()
    }

    private func follow() {
        guard !isBuilding else { return }
        isBuilding = true
        Task {
            while hasChanged { await refresh() }
            isBuilding = false
        }
    }

    /// Builds the package and loads the modules that changed.
    private func refresh() async {
        hasChanged = false
        var errors = CompilerErrors()
        var start = ContinuousClock.now
        var isWaiting = false
        if compilesAll { build.forgetFormer() }
        compilesAll = false
        do {
            try await build.compile { line in
                errors.add(line)
                // The time of another build is not this one's.
                if isWaiting { start = .now }
                isWaiting = line == build.waitingLine
                if isWaiting { announce(line) }
            }
            let products = if let known = self.products { known } else { try await build.products() }
            self.products = products
            let libraries = try build.modules(in: products)
            let built = start.duration(to: .now)
            let report = try await changes.load(libraries)
            announce(Self.line(report.plan, built: built, all: start.duration(to: .now)))
            for warning in report.warnings { announce("warning: \(warning.message)") }
            if !report.plan.screens.isEmpty { await didRebuild(report.plan.screens) }
            if !hasLoaded {
                hasLoaded = true
                await didLoad(links(of: libraries))
            }
        } catch {
            // The first of several errors usually causes the others.
            for line in errors.first.map({ [$0] }) ?? [ModuleError.message(of: error)] {
                announce(line.contains("error: ") ? relative(line) : "error: \(line)")
            }
            if errors.count > 1 {
                announce("  and \(errors.count - 1) more: \(build.command)")
            }
        }
    }

    private func links(of libraries: [String]) -> [String] {
        let modules = changes.runtime.modules.filter { $0.path.map(libraries.contains) ?? false }
        return modules.flatMap { $0.manifest?.screens.map(\.pattern) ?? [] }.filter { !$0.contains(":") }
    }

    /// `updated Notes 1.0.0 in 0.94 s (build 0.91 s)`.
    private static func line(_ plan: ChangePlan, built: Duration, all: Duration) -> String {
        let steps = plan.steps.map { step in
            "\(step.kind == .replace ? "updated" : step.kind.past) \(step.module) \(step.to ?? step.from ?? "")"
        }
        let what = steps.isEmpty ? "nothing has changed" : steps.joined(separator: ", ")
        return "\(what) (\(seconds(all)), build \(seconds(built)))"
    }

    /// `0.94 s`.
    private static func seconds(_ time: Duration) -> String {
        let hundredths = Int(time / .milliseconds(10))
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) s"
    }

    /// A line of the compiler with its file path made relative to the package.
    private func relative(_ line: String) -> String {
        line.hasPrefix("\(folder)/") ? String(line.dropFirst(folder.count + 1)) : line
    }
}
