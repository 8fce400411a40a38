internal import AtriumCommands
@_spi(Host) internal import AtriumKit
package import AtriumLibraries
internal import AtriumManifest
package import AtriumModules

extension Conformance {
    /// Tries a module in a separate process, without some others; returns why it does not work.
    package typealias Trial = @MainActor (_ module: Module, _ others: [String]) async throws -> ModuleError?

    /// Starts the module again without the modules that it uses, shows its screens, and brings the others back.
    ///
    /// A trial comes first, so that a crash of the module is a finding.
    mutating func checkUses(of module: Module) async throws {
        let used = presentUses(of: module)
        guard !used.isEmpty, let path = module.path else { return }
        report.looked(at: .uses, used.count)
        let names = used.map(\.name)
        let without = "without \(names.joined(separator: " and "))"
        if let error = try await trial?(module, names) {
            return report.add(.uses, "It does not work \(without): \(error.message)", hint: error.hint)
        }
        let paths = used.compactMap(\.path)
        _ = try await host.changes.run(.remove([name] + names))
        do {
            _ = try await host.changes.run(.add([path]))
            try await checkScreens(without)
        } catch let error as any ExplainedError {
            report.add(.uses, "It does not start \(without): \(error.message)", hint: error.hint)
        }
        let isAbsent = host.runtime.module(name) == nil
        _ = try await host.changes.run(.add(paths + (isAbsent ? [path] : [])))
    }

    /// The modules that it uses and that are there, without those that it needs in any case.
    private func presentUses(of module: Module) -> [Module] {
        var needed: Set<String> = []
        func need(_ name: String) {
            guard needed.insert(name).inserted else { return }
            for other in host.runtime.module(name)?.manifest?.requires ?? [] { need(other.name) }
        }
        need(name)
        return host.runtime.uses(of: module).filter { $0.isPresent && !needed.contains($0.module) }
            .compactMap { host.runtime.module($0.module) }
    }

    private mutating func checkScreens(_ without: String) async throws {
        let screens = try await start().current?.screens ?? []
        for message in try await containerFindings(screens).findings.map(\.message)
        where !report.has(.container, message) {
            report.add(.uses, "Not everything can be built \(without): \(message)")
        }
        for isSignedIn in [false, true] {
            let sandbox = Sandbox(host, .success, isSignedIn: isSignedIn, files: folder, without)
            defer { sandbox.container.close() }
            for screen in screens {
                try Task.checkCancellation()
                guard let shown = try await show(screen, in: sandbox), shown.failed,
                    !failing.contains(shown.subject)
                else { continue }
                report.add(.uses, "'\(screen.pattern)' can't be loaded \(without): \(shown.text)")
            }
        }
    }
}
