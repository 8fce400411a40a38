import AtriumKit

// The places of a stage.

/// A place that no guard asks about.
struct Spot: Destination {
    static let pattern: LinkPattern = "spots/:name"
    static let name = "spot"
    let name: String
}

/// A place for members.
struct Vault: Destination {
    static let pattern: LinkPattern = "vaults/:name"
    static let name = "vault"
    static let guards: [GuardName] = [.member]
    let name: String
}

/// A place that two guards decide about.
struct Crypt: Destination {
    static let pattern: LinkPattern = "crypt"
    static let guards: [GuardName] = [.member, .curator]
}

/// A place that asks for a guard which nobody has.
struct Abyss: Destination {
    static let pattern: LinkPattern = "abyss"
    static let guards: [GuardName] = ["nobody"]
}

/// Where guards send people.
struct Desk: Destination {
    static let pattern: LinkPattern = "desks/:name"
    static let name = "desk"
    let name: String
}

/// Where guards send people, and which another guard decides about.
struct Office: Destination {
    static let pattern: LinkPattern = "office"
    static let guards: [GuardName] = [.curator]
}

/// A place that is presented to choose a word.
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
