/// An operation that a screen offers the user: a name, typed arguments and an effect.
///
/// Help, completion, validation and history follow from the declaration.
///
/// ```swift
/// Action("create", "Creates an entity", effect: .changes,
///        Argument<String>("name"), Argument<String?>("category")) { name, category in
///     try await viewModel.create(name: name, category: category)
/// }
/// ```
public struct Action: Sendable {
    /// The word to type: letters, digits, `-` and `_`, a letter first, at most 40; unique in its screen.
    public let name: String
    /// One line on what it does.
    public let summary: String
    /// The effect; ``Effect/destroys`` asks for confirmation first.
    public let effect: Effect
    /// The arguments, in the order in which values without a name fill them.
    public let arguments: [ArgumentDescription]
    /// True if a screen that was not shown yet is loaded before the action runs.
    public let loadsFirst: Bool
    /// The confirmation asked before the action runs; nil for none.
    @_spi(Host) public let question: String?
    private let run: @MainActor (ArgumentValues) async throws -> ActionResult

    /// Declares an action; it asks for confirmation if it destroys or has a `question`, which replaces the
    /// default one made from the summary.
    public init<each Value: ArgumentValue>(
        _ name: String, _ summary: String, effect: Effect = .changes, asking question: String? = nil,
        loadsFirst: Bool = true, _ argument: repeat Argument<each Value>,
        perform: @escaping @MainActor (repeat each Value) async throws -> ActionResult
    ) {
        self.name = name
        self.summary = summary
        self.effect = effect
        self.loadsFirst = loadsFirst
        self.question = effect == .destroys ? question ?? "\(summary). Continue?" : question
        var descriptions: [ArgumentDescription] = []
        for argument in repeat each argument { descriptions.append(argument.description) }
        if self.question != nil { descriptions.append(Self.yes.description) }
        self.arguments = descriptions
        self.run = { values in
            try await perform(repeat try (each argument).value(in: values, of: name))
        }
    }

    /// Declares an action whose arguments are known only when it runs, such as the fields of a record.
    @_spi(Host) public init(
        _ name: String, _ summary: String, effect: Effect = .changes, asking question: String? = nil,
        loadsFirst: Bool = true, arguments: [ArgumentDescription],
        perform: @escaping @MainActor (ArgumentValues) async throws -> ActionResult
    ) {
        (self.name, self.summary, self.effect, self.loadsFirst) = (name, summary, effect, loadsFirst)
        self.question = question
        self.arguments = arguments + (question == nil ? [] : [Self.yes.description])
        run = { values in
            for argument in arguments {
                let text = values[argument.name]
                if argument.isRequired, text == nil { throw ArgumentError.missing(argument, of: name) }
                if let text, !text.isEmpty, !argument.choices.isEmpty, !argument.choices.contains(text) {
                    throw ArgumentError.notAChoice(argument, of: name, given: text)
                }
            }
            return try await perform(values)
        }
    }

    @available(*, unavailable, message: "The closure returns what is shown afterwards, such as '.updated'.")
    public init<each Value: ArgumentValue>(
        _ name: String, _ summary: String, effect: Effect = .changes, asking question: String? = nil,
        loadsFirst: Bool = true, _ argument: repeat Argument<each Value>,
        perform: @escaping @MainActor (repeat each Value) async throws -> Void
    ) { preconditionFailure("It is unavailable.") }

    /// The argument of actions that ask for confirmation.
    @_spi(Host) public static let yes = Argument("yes", "Do it without asking", default: false)

    /// True if no confirmation is needed, or `--yes` was given.
    @_spi(Host) @MainActor public func isAnswered(by values: ArgumentValues) throws -> Bool {
        try question == nil || Self.yes.value(in: values, of: name)
    }

    /// Reads the arguments, throwing ``ArgumentError``, then does the work.
    @_spi(Host) @MainActor public func perform(_ values: ArgumentValues) async throws -> ActionResult {
        try await run(values)
    }

    /// The effect of an action.
    @frozen public enum Effect: String, Sendable, Hashable {
        /// Reads only.
        case reads
        /// Changes something that can be changed back.
        case changes
        /// Destroys something.
        case destroys
        /// Navigates.
        case navigates
    }
}

/// Builds the actions of a view.
public typealias ActionsBuilder = ListBuilder<Action>

/// Builds a list from elements, and lists of them.
@resultBuilder
public enum ListBuilder<Element> {
    /// Accepts an element.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// Accepts a list, such as the actions of a flow.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// Joins the elements and lists of a block, in order.
    @inlinable public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    /// Accepts an `if` without `else`, which adds nothing if its condition is false.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// Accepts the first branch of an `if` with `else`, or of a `switch`.
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// Accepts another branch of an `if` with `else`, or of a `switch`.
    public static func buildEither(second part: [Element]) -> [Element] { part }
    /// Accepts a `for` loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
}
