public import Observation

/// How far a person is in a sequence of steps: a wizard, a sign-up, a checkout.
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
/// One move is under way at most. All steps before the current one were completed or skipped, the current
/// one and those after it were not. A move that throws leaves the flow where it was.
@MainActor
@Observable
public final class FlowModel<Step: FlowStep> {
    /// What people know the flow by, and ``FlowManager`` lists it under.
    public let name: String
    /// All steps, in order.
    public let steps: [Step]
    /// The step that the person is at; the last one when the flow is finished.
    public private(set) var currentStep: Step
    /// Whether the gate of the current step is being asked.
    public private(set) var isLoading = false
    /// Whether the last step was passed.
    public private(set) var isFinished = false

    private var skipped: Set<Step> = []

    /// The gate that is being asked; its outcome counts only while it is here.
    @ObservationIgnored private var question: Task<Void, any Error>?
    @ObservationIgnored private let gates: @MainActor (Step) -> FlowGate
    @ObservationIgnored private let manager: FlowManager

    /// A flow at its first step, listed by ``FlowManager/shared``.
    ///
    /// The model keeps `gates`, so a view model that holds the flow must not be captured there: use
    /// ``init(_:of:gates:)``.
    ///
    /// - Parameters:
    ///   - name: What people know the flow by.
    ///   - gates: The gate of a step, asked for at each move; nothing is asked for unless given.
    public convenience init(
        _ name: String, gates: @escaping @MainActor (Step) -> FlowGate = { _ in .open }
    ) {
        self.init(name, announcedTo: .shared, gates: gates)
    }

    /// A flow whose gates ask `owner`, the view model that holds the flow.
    ///
    /// Holds the owner weakly: what has gone can't pass a step, so a move then throws `CancellationError`.
    public convenience init<Owner: AnyObject>(
        _ name: String, of owner: Owner, gates: @escaping @MainActor (Owner, Step) -> FlowGate
    ) {
        self.init(name) { [weak owner] step in
            guard let owner else { return .requirement { throw CancellationError() } }
            return gates(owner, step)
        }
    }

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

    /// Asks the gate of the current step and goes on to the one after it; after the last, the flow is finished.
    ///
    /// A second call while a gate is being asked is refused, so that no work is done twice.
    ///
    /// - Throws: What the gate throws; `CancellationError` when the caller's task or ``back()`` cancelled the
    ///   move, even where the gate did not heed it; ``FlowError`` with code `flowFinished` or `moveUnderWay`.
    public func next() async throws {
        try requireMovable()
        try Task.checkCancellation()
        try await ask(gates(currentStep))
        leave()
    }

    /// Goes to the step before, which is then to be passed again; while a gate is being asked, only cancels
    /// that and stays.
    ///
    /// A gate that does not heed its cancellation keeps the flow loading until it returns.
    ///
    /// - Throws: ``FlowError`` with code `noEarlierStep` or `flowFinished`.
    public func back() throws {
        if let question { return question.cancel() }
        try requireMovable()
        guard index > 0 else { throw FlowError.noEarlierStep(flow: name, step: currentStep.title) }
        currentStep = steps[index - 1]
        skipped.remove(currentStep)
    }

    /// Leaves the current step without asking its gate.
    ///
    /// - Throws: ``FlowError`` with code `stepNotSkippable`, `flowFinished` or `moveUnderWay`.
    public func skip() throws {
        try requireMovable()
        guard currentStep.isSkippable else {
            throw FlowError.stepNotSkippable(flow: name, step: currentStep.title)
        }
        skipped.insert(currentStep)
        leave()
    }

    /// Goes on over the steps whose requirement is met already, for a screen that is shown again after another
    /// one did the work of the step.
    ///
    /// Stops at the first gate that is closed, is work, or asks for nothing: those are left by ``next()``. Does
    /// nothing while a gate is being asked.
    ///
    /// - Returns: How many steps were passed.
    @discardableResult
    public func advancePastOpenGates() async -> Int {
        var passed = 0
        while !isFinished, !isLoading, gates(currentStep).isRequirement {
            do { try await next() } catch { break }
            passed += 1
        }
        return passed
    }

    /// Goes to the first step, nothing passed; a gate that is being asked is cancelled and no longer counts.
    public func startOver() {
        restore(FlowState(completed: [], skipped: [], isFinished: false))
    }

    private func requireMovable() throws {
        if isFinished { throw FlowError.flowFinished(flow: name, step: currentStep.title) }
        if isLoading { throw FlowError.moveUnderWay(flow: name, step: currentStep.title) }
    }

    /// Waits for the gate in a task of its own, so that ``back()`` can cancel it as the caller's task can.
    private func ask(_ gate: FlowGate) async throws {
        let (flow, step) = (name, currentStep.title)
        let question: Task<Void, any Error>
        switch gate.kind {
        case .open: return
        case .requirement(let check): question = Task { try await check(flow, step) }
        case .work(let perform): question = Task { try await perform() }
        }
        self.question = question
        isLoading = true
        defer { if self.question == question { endQuestion() } }
        let outcome = await withTaskCancellationHandler {
            await question.result
        } onCancel: {
            question.cancel()
        }
        guard self.question == question, !question.isCancelled else { throw CancellationError() }
        try outcome.get()
    }

    private func endQuestion() {
        question = nil
        isLoading = false
    }

    private func leave() {
        if currentStep == steps.last {
            isFinished = true
        } else {
            currentStep = steps[index + 1]
        }
    }

    // MARK: - What was passed

    private var index: Int { steps.firstIndex(of: currentStep) ?? 0 }

    private var passedSteps: ArraySlice<Step> { isFinished ? steps[...] : steps[..<index] }

    /// The steps that were done, in order.
    public var completedSteps: [Step] { passedSteps.filter { !skipped.contains($0) } }

    /// The steps that were skipped, in order.
    public var skippedSteps: [Step] { passedSteps.filter(skipped.contains) }

    /// Which step the current one is, from 1.
    public var position: Int { index + 1 }

    // MARK: - Keeping

    /// What is to be kept with the stack entry, also across restarts; a move under way is not.
    public var savedState: FlowState<Step> {
        FlowState(
            completed: completedSteps.map(\.rawValue), skipped: skippedSteps.map(\.rawValue),
            isFinished: isFinished)
    }

    /// Goes to where an earlier model was; a gate that is being asked is cancelled and no longer counts.
    ///
    /// The state may be of another version of the module: the flow goes on at the first of its steps that
    /// was not passed.
    public func restore(_ state: FlowState<Step>) {
        question?.cancel()
        endQuestion()
        let position = state.position(in: steps)
        currentStep = steps[position.index]
        skipped = position.skipped
        isFinished = position.isFinished
    }
}

extension FlowModel: ReportingFlow {
    /// How far the flow is, as a value; observed like a property of the view model.
    public var progress: FlowProgress {
        FlowProgress(
            flow: name, step: currentStep.rawValue, stepTitle: currentStep.title, position: position,
            count: steps.count, isLoading: isLoading, isFinished: isFinished)
    }
}
