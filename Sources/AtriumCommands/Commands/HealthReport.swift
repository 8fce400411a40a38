@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumText

@MainActor
enum HealthReport {
    private struct Line {
        let module: String
        let name: String
        let outcome: Result<String, any Error>

        var error: (any ExplainedError)? {
            if case .failure(let error) = outcome { ShellError.explain(error) } else { nil }
        }
    }

    /// Runs the checks one at a time; a check that takes 10 s has failed.
    ///
    /// `notes` are about modules and fail no check.
    ///
    /// - Throws: ``ShellError`` with the results as its details if a check failed.
    static func content(
        _ runtime: ModuleRuntime, feedLoss: (any Error)?, notes: [String] = []
    ) async throws -> Content {
        let loss = feedLoss.map {
            Line(module: "host", name: "changes of other hosts", outcome: .failure($0))
        }
        let lines = (loss.map { [$0] } ?? []) + (try await lines(runtime))
        let content = Content {
            if lines.isEmpty { Notice(.information, "No active module has a health check.") }
            Table(lines) {
                Column("module") { $0.module }
                Column("check") { $0.name }
                Column("works") { $0.error == nil }
                Column("detail") { (try? $0.outcome.get()) ?? $0.error?.message ?? "" }
            }
            for note in notes { Notice(.information, note) }
        }
        let failures = lines.count { $0.error != nil }
        guard failures > 0 else { return content }
        throw ShellError(
            "unhealthy", failures == 1 ? "A health check failed." : "\(failures) health checks failed.",
            details: content)
    }

    /// - Throws: ``ShellError`` naming the first check that failed, and why.
    static func check(_ runtime: ModuleRuntime) async throws {
        guard let line = try await lines(runtime).first(where: { $0.error != nil }) else { return }
        throw ShellError(
            "unhealthy",
            "The health check '\(line.name)' of \(line.module) failed: \(line.error?.message ?? "")",
            hint: "health")
    }

    private static func lines(_ runtime: ModuleRuntime) async throws -> [Line] {
        let container = runtime.container
        var lines = container.mismatchedContributions.map {
            Line(module: $0.module, name: "contributions", outcome: .failure($0.error))
        }
        for (module, error) in runtime.mismatchedPoints where !lines.contains(where: { $0.module == module })
        {
            lines.append(Line(module: module, name: "contributions", outcome: .failure(error)))
        }
        for (module, element) in container.contributionResults(to: .healthChecks) {
            let name = (try? element.get().value.name) ?? "its health check"
            let outcome: Result<String, any Error>
            do {
                let check = try element.get().value
                let what = "The check '\(name)' of \(module)"
                outcome = .success(try await withTimeLimit(.seconds(10), of: what) { try await check.run() })
            } catch {
                if error is CancellationError { throw error }
                outcome = .failure(error)
            }
            lines.append(Line(module: module, name: name, outcome: outcome))
        }
        return lines
    }
}

extension ShellHost {
    /// Runs the health checks of all modules.
    ///
    /// - Throws: ``ShellError`` naming those that failed.
    package func checkHealth() async throws { try await HealthReport.check(runtime) }
}
