import AtriumKit

// The destinations of a stage.

/// Has no guards.
struct Spot: Destination {
    static let pattern: LinkPattern = "spots/:name"
    static let name = "spot"
    let name: String
}

/// Has one guard.
struct Vault: Destination {
    static let pattern: LinkPattern = "vaults/:name"
    static let name = "vault"
    static let guards: [GuardName] = [.member]
    let name: String
}

/// Has two guards.
struct Crypt: Destination {
    static let pattern: LinkPattern = "crypt"
    static let guards: [GuardName] = [.member, .curator]
}

/// Requires a guard that no module provides.
struct Abyss: Destination {
    static let pattern: LinkPattern = "abyss"
    static let guards: [GuardName] = ["nobody"]
}

/// A target of redirects.
struct Desk: Destination {
    static let pattern: LinkPattern = "desks/:name"
    static let name = "desk"
    let name: String
}

/// A target of redirects, with a guard of its own.
struct Office: Destination {
    static let pattern: LinkPattern = "office"
    static let guards: [GuardName] = [.curator]
}

/// Returns a word.
struct Picker: ResultDestination {
    typealias Result = String

    static let pattern: LinkPattern = "pickers/:kind"
    static let name = "picker"
    let kind: String
}

extension GuardName {
    static let member: GuardName = "member"
    static let curator: GuardName = "curator"
    static let everywhere: GuardName = "everywhere"
}

extension ResultSlot<String> {
    static let choice = ResultSlot<String>("choice")
}
