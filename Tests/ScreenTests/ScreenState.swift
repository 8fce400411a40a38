import AtriumKit

/// A screen in one of the states that it can be in.
struct ScreenState: Sendable, CustomStringConvertible {
    let description: String
    let content: @MainActor @Sendable () async throws -> Content

    init(_ description: String, _ content: @escaping @MainActor @Sendable () async throws -> Content) {
        self.description = description
        self.content = content
    }

    /// All screens of the three modules and of the host itself.
    static let all = entities + entityForms + session + signUp + profile + host
}
