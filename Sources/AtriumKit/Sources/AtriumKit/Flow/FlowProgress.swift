/// How far a flow is, for a screen that shows it, also one of another module.
public struct FlowProgress: Sendable, Hashable {
    /// The flow's name.
    public let flow: String
    /// The raw value of the step that it is at.
    public let step: String
    /// What the step is about, for people.
    public let stepTitle: String
    /// Which step it is, from 1.
    public let position: Int
    /// How many steps the flow has.
    public let count: Int
    /// Whether the gate of the step is being asked.
    public let isLoading: Bool
    /// Whether the last step was passed.
    public let isFinished: Bool
}

extension FlowProgress: Displayable {
    /// A line such as `Sign up: step 2 of 3, profile (loading)`.
    public var displayText: String {
        if isFinished { return "\(flow): finished" }
        return "\(flow): step \(position) of \(count), \(stepTitle)" + (isLoading ? " (loading)" : "")
    }

    public var json: JSONValue {
        .object([
            "name": .string(flow), "step": .string(step), "title": .string(stepTitle),
            "position": position.json, "count": count.json,
            "isLoading": .bool(isLoading), "isFinished": .bool(isFinished),
        ])
    }
}
