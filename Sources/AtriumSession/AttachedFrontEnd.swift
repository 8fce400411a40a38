package import AtriumText

/// A front end of a scene that runs in a process other than the host.
@MainActor
package protocol AttachedFrontEnd {
    /// Asks the host for a scene.
    ///
    /// - Throws: ``ShellError`` with the host's reason if it refuses.
    func begin() async throws -> AttachmentReply
    /// Runs until either side ends.
    func run() async throws -> ExitStatus
}

/// The host's response to a new front end.
package enum AttachmentReply {
    case begun
    /// It ends with its script, so a user can't usefully attach to it.
    case isScript
    case hasEnded
}
