extension FlowModel {
    /// The flow's actions: `next`, `previous` and, for a skippable step, `skip`; none once it is finished.
    ///
    /// Going back is named `previous`, because `back` leaves the screen.
    ///
    /// ```swift
    /// var actions: [Action] {
    ///     viewModel.flow.actions
    ///     Action("set", "Sets the name", Argument<String>("name")) { try viewModel.set(name: $0) }
    /// }
    /// ```
    public var actions: [Action] {
        guard !isFinished else { return [] }
        var actions = [
            Action("next", "Go to the next step") {
                try await self.next()
                return self.result
            },
            Action("previous", "Go back to the previous step") {
                try self.back()
                return self.result
            },
        ]
        if currentStep.isSkippable {
            actions.append(
                Action("skip", "Skip this step") {
                    try self.skip()
                    return self.result
                })
        }
        return actions
    }

    private var result: ActionResult { .updated(progress.displayText + ".") }
}

/// The progress of a flow, shown above the screen of its step; an object for programs.
///
/// ```swift
/// FlowHeader(viewModel.flow)
/// ```
///
/// is shown as `Flow  Sign up: step 2 of 3, profile`.
public struct FlowHeader: ContentElement {
    public let content: Content

    /// Creates a header from a progress value; `key` names its JSON object.
    public init(_ progress: FlowProgress, key: String = "flow") {
        content = Field(key, progress).content
    }

    /// Creates a header for `flow`, observing it; `key` names its JSON object.
    @MainActor public init(_ flow: FlowModel<some FlowStep>, key: String = "flow") {
        self.init(flow.progress, key: key)
    }
}
