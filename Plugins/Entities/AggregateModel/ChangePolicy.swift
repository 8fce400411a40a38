/// When the effect of a command is shown: before the service has answered, or after.
enum ChangePolicy: Hashable, Sendable, CaseIterable {
    /// At once, marked as pending; taken back where it fails.
    ///
    /// For what rarely fails, concerns one entity, and confuses nobody when it is taken back.
    case optimistic
    /// Once the service has answered; until then the entity stays as it is, marked as pending.
    ///
    /// For what concerns many entities at once or can't be taken back in anybody's mind.
    case confirmed

    /// The policy of a command, where nothing else is asked for.
    static func usual(for command: EntityCommand) -> ChangePolicy {
        switch command {
        // A deletion was confirmed by the person before, so that it is expected, and rarely fails.
        case .create, .update, .delete: .optimistic
        case .importing, .deleteAll: .confirmed
        // Nothing changes that could be shown early.
        case .fetch, .exporting: .confirmed
        }
    }
}
