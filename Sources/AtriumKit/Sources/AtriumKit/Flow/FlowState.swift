/// A flow's state, as kept with the stack entry; it holds names, so that another version of the module can
/// read it.
public struct FlowState<Step: FlowStep>: Codable, Hashable, Sendable {
    let completed: [String]
    let skipped: [String]
    /// True if the last step was completed or skipped.
    public let isFinished: Bool

    /// The current step of a model with this state; the last one when it is finished.
    public var currentStep: Step {
        let steps = Array(Step.allCases)
        return steps[position(in: steps).index]
    }

    /// A skipped step that is no longer skippable has to be completed; if all steps of this version were
    /// completed but the flow was not finished, the last one is current.
    func position(in steps: [Step]) -> (index: Int, skipped: Set<Step>, isFinished: Bool) {
        let done = Set(completed)
        let left = Set(skipped).subtracting(done)
        let isPassed = { (step: Step) in
            done.contains(step.rawValue) || (step.isSkippable && left.contains(step.rawValue))
        }
        let firstOpen = steps.firstIndex { !isPassed($0) }
        let isFinished = firstOpen == nil && self.isFinished
        let index = firstOpen ?? steps.count - 1
        let passed = isFinished ? steps[...] : steps[..<index]
        return (index, Set(passed.filter { left.contains($0.rawValue) }), isFinished)
    }
}

extension FlowState {
    /// Decodes a state; a missing list is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        completed = try container.decodeIfPresent([String].self, forKey: .completed) ?? []
        skipped = try container.decodeIfPresent([String].self, forKey: .skipped) ?? []
        isFinished = try container.decodeIfPresent(Bool.self, forKey: .isFinished) ?? false
    }
}

/// The progress of a flow, for screens of any module.
public struct FlowProgress: Sendable, Hashable {
    /// The flow's name.
    public let flow: String
    /// The raw value of the current step.
    public let step: String
    /// The title of the current step.
    public let stepTitle: String
    /// The number of the current step, from 1.
    public let position: Int
    /// The number of steps.
    public let count: Int
    /// True if the gate of the step is being evaluated.
    public let isLoading: Bool
    /// True if the last step was completed or skipped.
    public let isFinished: Bool
}

extension FlowProgress: Displayable {
    /// A line such as `Sign up: step 2 of 3, profile (loading)`.
    public var displayText: String {
        if isFinished { return "\(flow): finished" }
        return "\(flow): step \(position) of \(count), \(stepTitle)" + (isLoading ? " (loading)" : "")
    }

    /// The members `name`, `step`, `title`, `position`, `count`, `isLoading` and `isFinished`.
    public var json: JSONValue {
        .object([
            "name": .string(flow), "step": .string(step), "title": .string(stepTitle),
            "position": position.json, "count": count.json,
            "isLoading": .bool(isLoading), "isFinished": .bool(isFinished),
        ])
    }
}
