public import Observation

/// A user's progress in a sequence of steps: a wizard, a sign-up, a checkout.
///
/// A view model holds one per stack entry. Each step has a gate that decides whether it is done:
///
/// ```swift
/// @ObservationIgnored
/// private(set) lazy var flow = FlowModel<SignUpStep>("Sign up", of: self) { model, step in
///     switch step {
///     case .account: .requirement { try model.requireAccount() }
///     case .profile: .work { try await model.submitProfile() }
///     case .summary: .open
///     }
/// }
///
/// var savedState: FlowState<SignUpStep> { flow.savedState }
/// func restore(_ state: FlowState<SignUpStep>) { flow.restore(state) }
/// ```
///
/// At most one move is in progress. All steps before the current one are completed or skipped; the current
/// one and later ones are not. A move that throws changes nothing.
@MainActor
@Observable
public final class FlowModel<Step: FlowStep> {
    /// The name that users see, and under which ``FlowManager`` lists the flow.
    public let name: String
    /// All steps, in order.
    public let steps: [Step]
    /// The current step; the last one when the flow is finished.
    public private(set) var currentStep: Step
    /// True if the gate of the current step is being evaluated.
    public private(set) var isLoading = false
    /// True if the last step was completed or skipped.
    public private(set) var isFinished = false

    private var skipped: Set<Step> = []

    /// The running evaluation of a gate; its outcome counts only while it is stored here.
    @ObservationIgnored private var evaluation: Task<Void, any Error>?
    @ObservationIgnored private let gates: @MainActor (Step) -> FlowGate
    @ObservationIgnored private let manager: FlowManager

    /// Creates a flow at its first step; `gates` is kept and must not capture the view model that holds the
    /// flow.
    public convenience init(
        _ name: String, gates: @escaping @MainActor (Step) -> FlowGate = { _ in .open }
    ) {
        self.init(name, announcedTo: .shared, gates: gates)
    }

    /// Creates a flow whose gates use `owner`, held weakly; a move after its release throws
    /// `CancellationError`.
    public convenience init<Owner: AnyObject>(
        _ name: String, of owner: Owner, gates: @escaping @MainActor (Owner, Step) -> FlowGate
    ) {
        self.init(name) { [weak owner] step in
            guard let owner else { return .requirement { throw CancellationError() } }
            return gates(owner, step)
        }
    }

    /// Creates a flow that `manager` lists instead of ``FlowManager/shared``.
    @_spi(Host) public init(
        _ name: String, announcedTo manager: FlowManager,
        gates: @escaping @MainActor (Step) -> FlowGate = { _ in .open }
    ) {
        steps = Array(Step.allCases)
        precondition(!steps.isEmpty, "The flow '\(name)' has no steps.")
        precondition(Set(steps.map(\.rawValue)).count == steps.count, "The flow '\(name)' has a step twice.")
        self.name = name
        self.currentStep = steps[0]
        self.gates = gates
        self.manager = manager
        manager.add(self)
    }

    isolated deinit {
        manager.remove(ObjectIdentifier(self))
    }

    // MARK: - Moving

    /// Evaluates the gate of the current step and goes to the next one; after the last, the flow is finished.
    ///
    /// Throws the gate's error, `CancellationError` if ``back()`` or the caller's task cancelled the move, or
    /// ``FlowError`` with code `flowFinished` or, during another evaluation, `moveUnderWay`.
    public func next() async throws {
        try requireMovable()
        try Task.checkCancellation()
        try await evaluate(gates(currentStep))
        leave()
    }

    /// Goes back a step; while a gate is being evaluated, only cancels that and stays, loading until the gate
    /// returns.
    ///
    /// Throws ``FlowError`` with code `noEarlierStep` or `flowFinished`.
    public func back() throws {
        if let evaluation { return evaluation.cancel() }
        try requireMovable()
        guard index > 0 else { throw FlowError.noEarlierStep(flow: name, step: currentStep.title) }
        currentStep = steps[index - 1]
        skipped.remove(currentStep)
    }

    /// Leaves the step without its gate; throws ``FlowError``: `stepNotSkippable`, `flowFinished`,
    /// `moveUnderWay`.
    public func skip() throws {
        try requireMovable()
        guard currentStep.isSkippable else {
            throw FlowError.stepNotSkippable(flow: name, step: currentStep.title)
        }
        skipped.insert(currentStep)
        leave()
    }

    /// Completes the steps whose requirement is met, for a screen that is shown again; returns how many.
    ///
    /// Stops at the first gate that is closed, open or work, and does nothing while a gate is being
    /// evaluated.
    @discardableResult
    public func advancePastOpenGates() async -> Int {
        var passed = 0
        while !isFinished, !isLoading, gates(currentStep).isRequirement {
            do { try await next() } catch { break }
            passed += 1
        }
        return passed
    }

    /// Goes to the first step with no step completed, and cancels a running evaluation.
    public func startOver() { restore(FlowState(completed: [], skipped: [], isFinished: false)) }

    private func requireMovable() throws {
        if isFinished { throw FlowError.flowFinished(flow: name, step: currentStep.title) }
        if isLoading { throw FlowError.moveUnderWay(flow: name, step: currentStep.title) }
    }

    /// Evaluates the gate in a separate task, which both ``back()`` and the caller's task can cancel.
    private func evaluate(_ gate: FlowGate) async throws {
        let (flow, step) = (name, currentStep.title)
        let evaluation: Task<Void, any Error>
        switch gate.kind {
        case .open: return
        case .requirement(let check): evaluation = Task { try await check(flow, step) }
        case .work(let perform): evaluation = Task { try await perform() }
        }
        self.evaluation = evaluation
        isLoading = true
        defer { if self.evaluation == evaluation { endEvaluation() } }
        let outcome = await withTaskCancellationHandler {
            await evaluation.result
        } onCancel: {
            evaluation.cancel()
        }
        guard self.evaluation == evaluation, !evaluation.isCancelled else { throw CancellationError() }
        try outcome.get()
    }

    private func endEvaluation() {
        evaluation = nil
        isLoading = false
    }

    private func leave() {
        if currentStep == steps.last {
            isFinished = true
        } else {
            currentStep = steps[index + 1]
        }
    }

    // MARK: - Passed steps

    private var index: Int { steps.firstIndex(of: currentStep) ?? 0 }

    private var passedSteps: ArraySlice<Step> { isFinished ? steps[...] : steps[..<index] }

    /// The completed steps, in order.
    public var completedSteps: [Step] { passedSteps.filter { !skipped.contains($0) } }

    /// The skipped steps, in order.
    public var skippedSteps: [Step] { passedSteps.filter(skipped.contains) }

    /// The number of the current step, from 1.
    public var position: Int { index + 1 }

    // MARK: - Saved state

    /// The state to keep with the stack entry; it does not include a running evaluation.
    public var savedState: FlowState<Step> {
        FlowState(
            completed: completedSteps.map(\.rawValue), skipped: skippedSteps.map(\.rawValue),
            isFinished: isFinished)
    }

    /// Restores the state of an earlier model, perhaps of another version of the module: the flow continues
    /// at the first step that was neither completed nor skipped.
    public func restore(_ state: FlowState<Step>) {
        evaluation?.cancel()
        endEvaluation()
        let position = state.position(in: steps)
        currentStep = steps[position.index]
        skipped = position.skipped
        isFinished = position.isFinished
    }
}

extension FlowModel {
    /// The progress as a value; observable.
    public var progress: FlowProgress {
        FlowProgress(
            flow: name, step: currentStep.rawValue, stepTitle: currentStep.title, position: position,
            count: steps.count, isLoading: isLoading, isFinished: isFinished)
    }
}
