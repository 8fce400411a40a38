import AtriumKit
import AtriumNavigation

@testable import AtriumCommands

// A screen that only members may open, and a screen where users become members.

struct ArchivePlace: Destination {
    static let pattern: LinkPattern = "archive"
    static let guards: [GuardName] = ["member"]
}

struct Door: Destination {
    static let pattern: LinkPattern = "door"
}

/// Whether the user is a member, and the calls of the guard and the actions, in order.
@MainActor
final class ArchiveLog {
    var isMember = false
    var lines: [String] = []
}

struct ArchiveView: View {
    let log: ArchiveLog

    var body: Content { Title("Archive") }

    var actions: [Action] {
        Action("note", "Notes something", Argument<String>("text")) { text in
            log.lines.append("note \(text)")
            return .updated("Noted.")
        }
        Action("fail", "Fails") { throw OutOfStock() }
        Action("crash", "Fails without a word") { throw PlainFailure() }
        Action("burn", "Destroys all", effect: .destroys) {
            log.lines.append("burn")
            return .updated
        }
        Action("wander", "Goes elsewhere", effect: .navigates) {
            log.lines.append("wander")
            return .updated
        }
        Action("ask", "Asks before", asking: "Sure?") {
            log.lines.append("ask")
            return .updated
        }
        Action("unlock", "Takes a secret", Argument<String>("code", isSecret: true)) { _ in
            log.lines.append("unlock")
            return .updated
        }
    }

    func load() async throws {
        log.lines.append("load")
    }
}

struct DoorView: View {
    let log: ArchiveLog

    var body: Content { Title("Door") }

    var actions: [Action] {
        Action("join", "Becomes a member") {
            log.isMember = true
            return .leave("Joined.")
        }
    }
}

extension TestHost {
    /// Adds the archive, its door and its guard.
    func addArchive(_ log: ArchiveLog) throws {
        try add("Archive") { registry in
            registry.contribute(to: .guards) { _ in
                NavigationGuard("member", "Somebody is a member") { attempt in
                    log.lines.append("\(attempt.link)?")
                    return log.isMember ? .allow : .redirect(to: "door", because: "Members only.")
                }
            }
            registry.screen(ArchivePlace.self) { _ in ArchiveView(log: log) }
            registry.screen(Door.self) { _ in DoorView(log: log) }
        }
    }
}
