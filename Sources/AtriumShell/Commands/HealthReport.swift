@_spi(Host) internal import AtriumKit

/// The results of all modules' health checks.
@MainActor
struct HealthReport {
    private struct Line {
        let module: String
        let name: String
        let outcome: Result<String, any Error>

        var error: (any ExplainedError)? {
            if case .failure(let error) = outcome { UnexplainedError.explain(error) } else { nil }
        }
    }

    private var lines: [Line] = []

    /// Runs the checks one after the other; one that takes 10 s has failed.
    init(_ container: Container) async throws {
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
    }

    var failures: Int { lines.count { $0.error != nil } }

    var content: Content {
        Content {
            if lines.isEmpty { Notice(.information, "No active module has a health check.") }
            Table(lines, key: "checks") {
                Column("module") { $0.module }
                Column("check") { $0.name }
                Column("works") { $0.error == nil }
                Column("detail") { line in
                    switch line.outcome {
                    case .success(let text): text
                    case .failure: line.error?.message ?? ""
                    }
                }
            }
        }
    }
}

struct HealthError: ExplainedError, DetailedError {
    let code: ErrorCode = "unhealthy"
    let message: String
    let details: Content

    @MainActor
    init(_ report: HealthReport) {
        message = report.failures == 1 ? "A health check failed." : "\(report.failures) health checks failed."
        details = report.content
    }
}
