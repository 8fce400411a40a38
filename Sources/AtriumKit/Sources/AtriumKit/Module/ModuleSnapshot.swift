/// What one generation of a module hands to the next: a value as JSON, and the version of its form.
///
/// The two generations have types of their own, even where these have the same name, so nothing but data
/// passes from one to the other.
public struct ModuleSnapshot: Sendable, Hashable {
    /// The version of the form, as ``FeatureModule/stateVersion`` counts it.
    public let version: Int
    /// The value as JSON.
    @_spi(Host) public let json: String

    /// Takes a value over.
    ///
    /// - Parameters:
    ///   - version: The version of its form.
    ///   - state: The value.
    /// - Throws: `EncodingError` where it can't be expressed as JSON.
    public init(version: Int, _ state: some Encodable) throws {
        self.version = version
        json = try StateCoding.encode(state)
    }

    /// The value again, as the type that this generation has for ``version``.
    ///
    /// - Throws: `DecodingError` where it is not one.
    public func decode<State: Decodable>(_ type: State.Type = State.self) throws -> State {
        try StateCoding.decode(State.self, from: json)
    }
}
