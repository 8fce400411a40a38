@_spi(Host) internal import AtriumKit
internal import Glibc

extension APIErrors {
    /// An attempt that got no whole answer.
    static func transport(_ error: TransportError, _ plan: RequestPlan, origin: String) -> APIError {
        let (what, hint) = texts(error, plan, origin)
        let code = known.contains(error.code) ? error.code : .requestFailed
        return .requestFailed(
            code, "\(plan.name) failed: \(what)", hint: isInDoubt(error, plan) ? hint : error.hint ?? hint,
            cause: error)
    }

    /// A transport that can't be had, for a reason that whoever provides it gives.
    static func noTransport(_ error: any Error, _ plan: RequestPlan) -> APIError {
        let explained = error as? any ExplainedError
        return .requestFailed(
            explained?.code ?? .requestFailed,
            "\(plan.name) failed: \(explained?.message ?? "there is no transport.")",
            hint: explained?.hint ?? "modules", cause: error)
    }

    /// A transport that fails with an error of its own kind, or ends although nobody asked it to.
    static func unknown(_ error: any Error, _ plan: RequestPlan, redact: Redactor) -> APIError {
        let explained = (error as? any ExplainedError).map { RedactedError($0, redact) }
        let why = explained?.message ?? "the transport gave no reason."
        return .requestFailed(
            explained?.code ?? .requestFailed, "\(plan.name) failed: \(why)", hint: explained?.hint ?? again,
            cause: explained)
    }

    /// An answer that came, but can't be put where it should go.
    static func fileNotWritten(_ path: String, _ error: CInt) -> APIError {
        .requestFailed(
            "fileUnwritable", "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }

    static func timedOut(_ plan: RequestPlan, origin: String) -> APIError {
        transport(TransportError(.timedOut, "The time for all attempts is over."), plan, origin: origin)
    }

    private static let known: [ErrorCode] = [
        .serverUnreachable, .connectionLost, .timedOut, .tlsRefused, .answerTooLarge, .invalidURL,
        .invalidResponse,
    ]

    private static func texts(
        _ error: TransportError, _ plan: RequestPlan, _ origin: String
    ) -> (what: String, hint: String) {
        switch error.code {
        case .serverUnreachable:
            (
                "the server at \(origin) can't be reached.",
                "Start the server, then enter the same command again."
            )
        case .connectionLost:
            (
                "the connection to \(origin) ended before the answer did.\(doubt(error, plan))",
                hint(error, plan)
            )
        case .timedOut:
            (
                "the server at \(origin) did not answer within \(seconds(plan.timeLimit)).\(doubt(error, plan))",
                hint(error, plan)
            )
        case .tlsRefused:
            (error.message, "api")
        case .answerTooLarge:
            ("the answer has more than \(bytes(plan.request.answerLimit)).", "api")
        default:
            (error.message, again)
        }
    }

    /// A change may have been made although its answer did not come.
    private static func isInDoubt(_ error: TransportError, _ plan: RequestPlan) -> Bool {
        !error.neverSent && !plan.call.method.isSafe && plan.repetition != .safe
    }

    private static func doubt(_ error: TransportError, _ plan: RequestPlan) -> String {
        isInDoubt(error, plan) ? " Whether it was carried out is not known." : ""
    }

    private static func hint(_ error: TransportError, _ plan: RequestPlan) -> String {
        isInDoubt(error, plan)
            ? "Look whether it was carried out before entering the same command again." : again
    }
}
