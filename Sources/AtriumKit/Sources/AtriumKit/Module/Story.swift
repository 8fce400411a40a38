/// A screen of a module in a named state: `stories` lists it, `story` shows it, conformance renders it.
///
/// A story is shown over separate mock services, in every environment, and changes nothing.
///
/// ```swift
/// registry.story("sold out", ProductDestination(id: 2)) { $0.scenario = .edge }
/// ```
public struct Story: Sendable {
    /// The name, as declared.
    public let name: String
    /// The scenario of all mock services; ``play(_:_:)`` chooses another one for some.
    public var scenario = MockScenario.Kind.success
    /// True if the mocks of records have no samples, as ``MockBehavior/isEmpty`` reports.
    public var isEmpty = false
    /// False to show the screen before its load.
    public var loads = true
    /// The signed-in user; nil for a guest.
    public var user: SessionUser?
    /// The size that the screen is laid out for; nil for that of the front end.
    public var columns: Int?
    public var rows: Int?
    /// The scenarios of some services, by name.
    @_spi(Host) public private(set) var scenarios: [String: MockScenario.Kind] = [:]

    /// The name in `story Shop/sold-out`: lower case, with `-` between words.
    @_spi(Host) public let slug: String

    init(_ name: String) {
        self.name = name
        slug = name.lowercased().split { !Self.isOfSlug($0) }.joined(separator: "-")
    }

    private static func isOfSlug(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return character.isLetter || character.isNumber }
        return (48...57).contains(byte) || (97...122).contains(byte)
    }

    /// Chooses the scenario of one service.
    public mutating func play<Service>(_ service: Service.Type, _ scenario: MockScenario.Kind) {
        scenarios[RegistrationKey.name(of: service)] = scenario
    }

    /// Signs a user in: by default one whom no mock knows.
    public mutating func signIn(
        id: String = "sample", email: String = "sample@example.com", displayName: String? = "Sample"
    ) {
        user = SessionUser(id: id, email: email, displayName: displayName)
    }
}

/// A story with its screen.
@_spi(Host) public struct StoryRegistration: Sendable {
    public let module: String
    public let story: Story
    /// Returns the destination of its screen; nil if there is nothing to show.
    public let destination: @MainActor @Sendable () -> (any Destination)?

    /// `Shop/sold-out`.
    public var path: String { "\(module)/\(story.slug)" }
}

extension ModuleRegistry {
    /// Names a screen in a state.
    ///
    /// Records have stories without a line: usual, empty, loading, failed, one page, edge cases, one record,
    /// the forms. A story with the name of one of these replaces it.
    ///
    /// - Parameters:
    ///   - name: A few words, such as `sold out`; no other story of the module may have it.
    ///   - destination: The screen, one of the module's.
    ///   - change: Sets the state.
    public func story<Shown: Destination>(
        _ name: String, _ destination: Shown, _ change: (inout Story) -> Void = { _ in }
    ) {
        var story = Story(name)
        change(&story)
        add(story) { destination }
    }
}
