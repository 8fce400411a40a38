@_spi(Host) package import AtriumKit

package struct NavigationError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let category: ErrorCategory
    package let cause: (any Error)?
    /// The objections, for ``ErrorCode/leaveObjected``.
    package private(set) var objections: [Objection] = []
    /// The known link that an unknown one resembles.
    private(set) var suggestion: String?

    init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure,
        cause: (any Error)? = nil, suggestion: String? = nil
    ) {
        self.suggestion = suggestion
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
        self.cause = cause
    }

    /// True if the error explains why the current entry can't be shown.
    package var isAboutCurrentEntry: Bool {
        code == .screenUnavailable || code == .refused || code == .redirectLoop
    }

    /// An objection of a screen to being left.
    package struct Objection: Hashable, Sendable {
        package let link: String
        package let objection: LeaveObjection
    }

    /// A view model outlived its stack.
    static let stackIsGone = NavigationError(
        "stackIsGone", "This screen has been left and can't navigate any more.", hint: "links")

    static func stackIsFull(_ link: String) -> NavigationError {
        NavigationError(
            "stackFull",
            "'\(link.excerpt)' was not opened: the stack is full, with \(NavigationState.capacity) entries.",
            hint: "back, or root for an empty stack")
    }

    fileprivate static func longLink(_ link: String, limit: Int) -> NavigationError {
        NavigationError(
            .badLink,
            "The link '\(Link.shown(link).excerpt)' is longer than \(limit) bytes.",
            hint: "links")
    }

    static func unknownLink(_ link: Link, patterns: [String]) -> NavigationError {
        let nearest =
            NearestName.of(link.segments.joined(separator: "/"), among: patterns)
            ?? patterns.first { $0.hasPrefix(link.segments[0] + "/") }
        return NavigationError(
            .unknownLink, "No screen has the link '\(link.shown.excerpt)'.",
            hint: nearest.map { "Did you mean '\($0)'? 'links' lists all." }
                ?? "'links' lists the links of all screens.",
            suggestion: nearest)
    }

    /// The same error for an unknown link that is kept until a module has it.
    var waiting: NavigationError {
        NavigationError(
            code, message + " It is announced once a module has it.",
            hint: "'links' lists the links of all screens.")
    }

    static func notRegistered(_ destination: any Destination) -> NavigationError {
        NavigationError(
            .unknownLink,
            "No active module registers a screen for the destination '\(type(of: destination).pattern)'.")
    }

    // MARK: - Guards

    static func refused(
        _ link: Link, by name: String, because reason: String, hint: String?
    ) -> NavigationError {
        refusal("'\(link.shown.excerpt)' was refused by guard '\(name)': \(reason)", hint: hint)
    }

    static func missingGuard(_ name: GuardName, for link: Link, of module: String) -> NavigationError {
        refusal(
            "'\(link.shown.excerpt)' of module '\(module)' requires guard '\(name)', but no active module "
                + "provides it.",
            hint: "modules")
    }

    static func failedGuard(_ name: String, on link: Link, _ error: any Error) -> NavigationError {
        let reason = (error as? any ExplainedError)?.message ?? "an unexpected error."
        return refusal(
            "'\(link.shown.excerpt)' was refused because guard \(name) failed: \(reason)",
            hint: (error as? any ExplainedError)?.hint, cause: error)
    }

    private static func refusal(_ message: String, hint: String?, cause: (any Error)? = nil) -> Self {
        NavigationError(.refused, message, hint: hint, category: .refused, cause: cause)
    }

    static func redirectLoop(_ path: [String]) -> NavigationError {
        let loop = path.map(\.excerpt).joined(separator: " -> ")
        return redirects("Guards redirect in a loop: \(loop).", from: path[0])
    }

    static func tooManyRedirects(_ path: [String]) -> NavigationError {
        let start = path.prefix(4).map(\.excerpt).joined(separator: " -> ")
        return redirects("Guards redirected \(path.count) times: \(start) -> ….", from: path[0])
    }

    private static func redirects(_ message: String, from link: String) -> NavigationError {
        NavigationError(.redirectLoop, message, hint: "where \(link)", category: .refused)
    }

    static func failed(_ link: Link, _ error: any Error) -> NavigationError {
        NavigationError(
            .unexpected, "'\(link.shown.excerpt)' can't be opened because of an unexpected error.",
            cause: error)
    }

    // MARK: - Leaving

    static func objected(_ objections: [Objection], to request: NavigationRequest) -> NavigationError {
        var message = "\(objections.count) objections prevent leaving."
        var hints = [request.forced().command]
        if objections.count == 1 {
            message = "'\(objections[0].link.excerpt)' can't be left: \(objections[0].objection.reason)"
            if let hint = objections[0].objection.hint { hints.insert(hint, at: 0) }
        }
        var error = NavigationError(
            .leaveObjected, message, hint: hints.joined(separator: "   or   "), category: .refused)
        error.objections = objections
        return error
    }

    // MARK: - The stack

    static func notOnStack(_ link: String) -> NavigationError {
        NavigationError("notOnStack", "'\(link.excerpt)' is not on the stack.", hint: "where")
    }

    static let nothingPresented = NavigationError("notPresented", "Nothing is presented.", hint: "where")

    /// A navigation that waits for a result presented within it would never end.
    static func presentedWithinNavigation(_ link: String) -> NavigationError {
        NavigationError(
            "presentedWithinNavigation",
            "'\(link.excerpt)' can't be presented while another screen is opening; present it from an action."
        )
    }

    static func questionIsOpen(_ question: String) -> NavigationError {
        NavigationError(
            "questionOpen", "Another question is open: \(question)",
            hint: "Answer it, or leave it unanswered: back", category: .refused)
    }

    static func unavailable(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            .screenUnavailable,
            "The screen '\(entry.link.excerpt)' belongs to module '\(entry.module)', which is not active.",
            hint: "why \(entry.module)", category: .module)
    }

    static func absent(_ reason: any ExplainedError) -> NavigationError {
        NavigationError(
            .screenUnavailable, reason.message, hint: reason.hint, category: .module, cause: reason)
    }

    static func unknownScreen(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            .screenUnavailable,
            "Module '\(entry.module)' no longer has the screen '\(entry.destination)' of "
                + "'\(entry.link.excerpt)'.",
            hint: "back")
    }

    static func unreadable(_ entry: StackEntry, _ error: any Error) -> NavigationError {
        let reason = (error as? any ExplainedError)?.message ?? "Its saved state is damaged."
        return NavigationError(
            .screenUnavailable, "'\(entry.link.excerpt)' can't be shown. \(reason)", hint: "back",
            cause: error)
    }
}

// MARK: - Registering screens

extension NavigationError {
    @MainActor static func ambiguous(
        _ screen: ScreenRegistration, _ conflict: PatternTree.Conflict
    ) -> NavigationError {
        NavigationError(
            .ambiguousLink,
            "Module '\(screen.module)' registers the screen '\(screen.pattern)', but links such as "
                + "'\(conflict.example)' already open '\(conflict.screen.pattern)' of module "
                + "'\(conflict.screen.module)'.",
            hint: "Give one of the two another path.", category: .module)
    }

    @MainActor static func badPattern(_ screen: ScreenRegistration, _ problem: String) -> NavigationError {
        NavigationError(
            .badPattern,
            "Module '\(screen.module)' can't register the screen '\(screen.pattern)': \(problem).",
            hint: "Patterns look like 'entities', 'entities/:id', 'reports/:year?' or 'files/:path*'.",
            category: .module)
    }

    @MainActor static func duplicateName(
        _ name: String, _ screen: ScreenRegistration, _ present: ScreenRegistration
    ) -> NavigationError {
        NavigationError(
            .duplicate,
            "Module '\(screen.module)' registers two screens named '\(name)': "
                + "'\(present.pattern)' and '\(screen.pattern)'.",
            hint: "Give one of the two another 'name', or leave '\(name)' out of its 'formerNames'.",
            category: .module)
    }
}

extension ErrorCode {
    /// A link would open two screens.
    package static let ambiguousLink: ErrorCode = "ambiguousLink"
    package static let unknownLink: ErrorCode = "unknownLink"
    /// A guard does not allow a navigation.
    package static let refused: ErrorCode = "refused"
    /// Guards redirect in a loop, or too often.
    package static let redirectLoop: ErrorCode = "redirectLoop"
    /// Screens object to being left.
    package static let leaveObjected: ErrorCode = "leaveObjected"
    /// The screen of a stack entry can't be shown now.
    package static let screenUnavailable: ErrorCode = "screenUnavailable"
}

extension Link {
    /// Parses a link that a user opens, or that waits for its module.
    ///
    /// - Throws: ``NavigationError`` if it is too long to keep, ``LinkError`` if it is not a link.
    package static func toOpen(_ text: String) throws -> Link {
        let (link, limit) = (try Link(text), 4_096)
        guard link.description.utf8.count <= limit else { throw NavigationError.longLink(text, limit: limit) }
        return link
    }
}
