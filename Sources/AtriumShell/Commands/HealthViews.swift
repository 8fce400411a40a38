@_spi(Host) internal import AtriumKit

/// What the health checks of all modules came to.
@MainActor
struct HealthReport {
    /// One check that was made.
    private struct Line {
        let module: String
        let name: String
        let outcome: Result<String, any Error>

        /// Why it does not work; nil where it does.
        var error: (any ExplainedError)? {
            if case .failure(let error) = outcome { UnexplainedError.explain(error) } else { nil }
        }
    }

    private var lines: [Line] = []

    /// Makes the checks that modules contributed, one after the other.
    ///
    /// - Throws: `CancellationError` only; a check that does not end is given up after 10 s.
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

/// That a module says it does not work.
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
