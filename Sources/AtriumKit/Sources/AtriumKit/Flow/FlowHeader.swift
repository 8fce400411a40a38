/// Says how far a flow is, above the screen of its step; an object for programs.
///
/// ```swift
/// FlowHeader(viewModel.flow)
/// ```
///
/// is shown as `Flow  Sign up: step 2 of 3, profile`.
public struct FlowHeader: ContentElement {
    private let key: String
    private let progress: FlowProgress

    /// The header of a flow that programs know as the object `key`.
    public init(_ progress: FlowProgress, key: String = "flow") {
        self.key = key
        self.progress = progress
    }

    /// The header of `flow` as it is now; observed like a property of the view model.
    @MainActor public init(_ flow: FlowModel<some FlowStep>, key: String = "flow") {
        self.init(flow.progress, key: key)
    }

    public var content: Content { Field(key, progress).content }
}
