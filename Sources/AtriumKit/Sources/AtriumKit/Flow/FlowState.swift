/// How far a flow has come, as it is kept with the stack entry of its screen.
///
/// Holds names, so that the state of another version of the module can be read: a model goes on at the first
/// of its own steps that was not passed.
public struct FlowState<Step: FlowStep>: Codable, Hashable, Sendable {
    /// The raw values of the steps that were done, in order.
    let completed: [String]
    /// The raw values of the steps that were skipped, in order.
    let skipped: [String]
    /// Whether the last step was passed.
    public let isFinished: Bool

    init(completed: [String], skipped: [String], isFinished: Bool) {
        self.completed = completed
        self.skipped = skipped
        self.isFinished = isFinished
    }

    /// Reads a state; what is not there is taken as not passed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        completed = try container.decodeIfPresent([String].self, forKey: .completed) ?? []
        skipped = try container.decodeIfPresent([String].self, forKey: .skipped) ?? []
        isFinished = try container.decodeIfPresent(Bool.self, forKey: .isFinished) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case completed, skipped, isFinished
    }

    /// The step that a model with this state is at; the last one when it is finished.
    public var currentStep: Step {
        let steps = Array(Step.allCases)
        return steps[position(in: steps).index]
    }

    /// Where a flow of `steps` goes on, and which of the earlier ones were skipped.
    ///
    /// A step that was skipped and can't be any more was not passed. A state that passed all steps of this
    /// version, but was at one that this version lacks, is at the last.
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
