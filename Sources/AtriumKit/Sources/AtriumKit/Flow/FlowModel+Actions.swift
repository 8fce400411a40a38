extension FlowModel {
    /// What a person can do in the flow: `next`, `previous` and, where the step can be skipped, `skip`;
    /// nothing when it is finished.
    ///
    /// Going back is called `previous`, because `back` leaves the screen.
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
            Action("next", "Goes on to the next step") {
                try await self.next()
                return self.told
            },
            Action("previous", "Goes back to the step before") {
                try self.back()
                return self.told
            },
        ]
        if currentStep.isSkippable {
            actions.append(
                Action("skip", "Goes on without this step") {
                    try self.skip()
                    return self.told
                })
        }
        return actions
    }

    private var told: ActionResult { .updated(progress.displayText + ".") }
}
