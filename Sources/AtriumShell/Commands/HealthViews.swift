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
    init(_ container: Container) async throws {
        for contribution in try container.contributions(to: .healthChecks) {
            let outcome: Result<String, any Error>
            do {
                outcome = .success(try await contribution.value.run())
            } catch {
                if error is CancellationError { throw error }
                outcome = .failure(error)
            }
            lines.append(Line(module: contribution.module, name: contribution.value.name, outcome: outcome))
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
