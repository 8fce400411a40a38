/// The reason that a flow did not move.
public struct FlowError: ExplainedError, Hashable {
    /// `noEarlierStep`, `stepNotSkippable`, `flowFinished`, `moveUnderWay` or `innerFlowUnfinished`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// `refused` if the step or an inner flow must be completed first, else `failure`.
    public let category: ErrorCategory

    private init(_ code: ErrorCode, _ message: String, hint: String, category: ErrorCategory = .failure) {
        (self.code, self.message, self.hint, self.category) = (code, message, hint, category)
    }

    static func noEarlierStep(flow: String, step: String) -> FlowError {
        FlowError(
            .noEarlierStep, "'\(flow)' is at its first step, \(step): there is none before it.", hint: "next")
    }

    static func stepNotSkippable(flow: String, step: String) -> FlowError {
        FlowError(
            .stepNotSkippable, "'\(flow)' can't skip \(step): the step is needed.", hint: "next",
            category: .refused)
    }

    static func flowFinished(flow: String, step: String) -> FlowError {
        FlowError(.flowFinished, "'\(flow)' is finished: \(step) was its last step.", hint: "back")
    }

    static func moveUnderWay(flow: String, step: String) -> FlowError {
        FlowError(
            .moveUnderWay, "'\(flow)' is leaving \(step) already; 'previous' cancels that.",
            hint: "previous")
    }

    static func innerFlowUnfinished(flow: String, step: String, inner: FlowProgress) -> FlowError {
        FlowError(
            .innerFlowUnfinished,
            "'\(flow)' can't leave \(step): '\(inner.flow)' is not finished; it is at step "
                + "\(inner.position) of \(inner.count), \(inner.stepTitle).",
            hint: "Finish '\(inner.flow)' first, then type: next", category: .refused)
    }
}

extension ErrorCode {
    /// A flow is at its first step.
    public static let noEarlierStep: ErrorCode = "noEarlierStep"
    /// The step must be completed; it can't be skipped.
    public static let stepNotSkippable: ErrorCode = "stepNotSkippable"
    /// A flow has no step left.
    public static let flowFinished: ErrorCode = "flowFinished"
    /// The gate of the flow's step is already being evaluated.
    public static let moveUnderWay: ErrorCode = "moveUnderWay"
    /// The step requires another flow, which is not finished.
    public static let innerFlowUnfinished: ErrorCode = "innerFlowUnfinished"
}
