/// A step of a flow: a case of the enumeration of what a person goes through, in order.
///
/// ```swift
/// enum SignUpStep: String, FlowStep {
///     case account, profile, summary
///     var isSkippable: Bool { self == .profile }
/// }
/// ```
///
/// The raw values are kept between runs, so a case that is renamed is another step.
public protocol FlowStep: RawRepresentable, CaseIterable, Codable, Hashable, Sendable
where RawValue == String {
    /// What the step is about, for people; the words of the raw value unless given.
    var title: String { get }
    /// Whether the step can be left without what it asks for; false unless given.
    var isSkippable: Bool { get }
}

extension FlowStep {
    public var title: String { Words.label(forKey: rawValue).lowercased() }
    public var isSkippable: Bool { false }
}
