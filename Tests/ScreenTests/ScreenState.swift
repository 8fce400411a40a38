import AtriumKit

/// A screen in one of its states.
struct ScreenState: Sendable, CustomStringConvertible {
    let description: String
    let content: @MainActor @Sendable () async throws -> Content

    init(_ description: String, _ content: @escaping @MainActor @Sendable () async throws -> Content) {
        self.description = description
        self.content = content
    }

    /// The states of all screens of the three modules and of the host.
    static let all = entities + entityForms + session + signUp + profile + host
}
