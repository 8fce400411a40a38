@_spi(Host) package import AtriumKit

/// Why a navigation did not happen.
package struct NavigationError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let category: ErrorCategory
    package let cause: (any Error)?
    /// What screens have against being left, for ``ErrorCode/leaveObjected``.
    package private(set) var objections: [Objection] = []

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
        self.cause = cause
    }

    /// Whether it tells why the place that is current can't be shown.
    package var isAboutCurrentEntry: Bool {
        code == .screenUnavailable || code == .refused || code == .redirectLoop
    }

    /// What a screen has against being left.
    package struct Objection: Hashable, Sendable {
        /// The link of its place.
        package let link: String
        package let objection: LeaveObjection
    }

    /// A view model outlived the stack that it was made for.
    static let stackIsGone = NavigationError(
        .stackIsGone, "The place that wanted to go somewhere has been left.", hint: "links")

    static func unknownLink(_ link: Link, patterns: [String]) -> NavigationError {
        let nearest =
            NearestName.of(link.segments.joined(separator: "/"), among: patterns)
            ?? patterns.first { $0.hasPrefix(link.segments[0] + "/") }
        return NavigationError(
            .unknownLink, "No screen has the link '\(link.shown)'.",
            hint: nearest.map { "Did you mean '\($0)'? 'links' lists all." }
                ?? "'links' lists the links of all screens.")
    }

    static func notRegistered(_ destination: any Destination) -> NavigationError {
        NavigationError(
            .unknownLink,
            "No active module registers a screen for the destination '\(type(of: destination).pattern)'.")
    }

    // MARK: - Guards

    static func refused(_ link: Link, by name: GuardName, because reason: String, hint: String?)
        -> NavigationError
    {
        NavigationError(
            .refused, "'\(link.shown)' was refused by guard '\(name)': \(reason)", hint: hint,
            category: .refused)
    }

    /// What can't wait for a redirect, as an action of a place elsewhere, is refused where one is needed.
    static func needsRedirect(_ link: Link, by name: String, because reason: String, to redirect: String)
        -> NavigationError
    {
        NavigationError(
            .refused, "'\(link.shown)' was refused by guard '\(name)': \(reason)", hint: "open \(redirect)",
            category: .refused)
    }

    static func missingGuard(_ name: GuardName, for link: Link, of module: String) -> NavigationError {
        NavigationError(
            .refused,
            "'\(link)' of module '\(module)' asks for guard '\(name)', which no active module has.",
            hint: "modules", category: .refused)
    }

    static func failedGuard(_ name: String, on link: Link, _ error: any Error) -> NavigationError {
        let reason = (error as? any ExplainedError)?.message ?? "an unexpected error."
        return NavigationError(
            .refused, "'\(link.shown)' was refused, because guard '\(name)' could not decide: \(reason)",
            hint: (error as? any ExplainedError)?.hint, category: .refused, cause: error)
    }

    static func redirectLoop(_ path: [String]) -> NavigationError {
        NavigationError(
            .redirectLoop, "The guards send each other round in a circle: \(path.joined(separator: " -> ")).",
            hint: "nav explain \(path[0])", category: .refused)
    }

    static func tooManyRedirects(_ path: [String]) -> NavigationError {
        NavigationError(
            .redirectLoop,
            "Guards redirected \(path.count) times without an end: \(path.prefix(4).joined(separator: " -> ")) "
                + "-> ….", hint: "nav explain \(path[0])", category: .refused)
    }

    static func failed(_ link: Link, _ error: any Error) -> NavigationError {
        NavigationError(
            .unexpected, "'\(link)' can't be gone to, because of an unexpected error.", cause: error)
    }

    // MARK: - Leaving

    static func objected(_ objections: [Objection], to request: NavigationRequest) -> NavigationError {
        let command = request.forced().command
        var error: NavigationError
        if objections.count == 1, let only = objections.first {
            error = NavigationError(
                .leaveObjected, "'\(only.link)' objects to being left: \(only.objection.reason)",
                hint: [only.objection.hint, command].compactMap { $0 }.joined(separator: "   or   "),
                category: .refused)
        } else {
            error = NavigationError(
                .leaveObjected, "\(objections.count) reasons speak against leaving.", hint: command,
                category: .refused)
        }
        error.objections = objections
        return error
    }

    // MARK: - The stack

    static func notOnStack(_ link: String) -> NavigationError {
        NavigationError(.notOnStack, "No place on the stack has the link '\(link)'.", hint: "where")
    }

    static func nothingPresented() -> NavigationError {
        NavigationError(.notPresented, "Nothing is presented that could be dismissed.", hint: "where")
    }

    /// Who presents waits, and a navigation that waits for itself would never end.
    static func presentedWithinNavigation(_ link: String) -> NavigationError {
        NavigationError(
            .presentedWithinNavigation,
            "'\(link)' can't be presented while a place is being entered; a view model presents from an action."
        )
    }

    static func unavailable(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            .screenUnavailable,
            "The screen '\(entry.link)' belongs to module '\(entry.module)', which is not active.",
            hint: "why \(entry.module)", category: .module)
    }

    static func unknownPlace(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            .screenUnavailable,
            "The place '\(entry.link)' was kept for a screen '\(entry.destination)' that module "
                + "'\(entry.module)' does not have any more.", hint: "back")
    }

    static func unreadable(_ entry: StackEntry, _ error: any Error) -> NavigationError {
        let reason = (error as? any ExplainedError)?.message ?? "What was kept is damaged."
        return NavigationError(
            .screenUnavailable, "The place '\(entry.link)' can't be shown. \(reason)", hint: "back",
            cause: error)
    }
}

extension ErrorCode {
    /// What moves a stack that is not there any more.
    package static let stackIsGone: ErrorCode = "stackIsGone"
    /// No screen has this link.
    package static let unknownLink: ErrorCode = "unknownLink"
    /// A guard does not allow a navigation.
    package static let refused: ErrorCode = "refused"
    /// Guards redirect in a circle, or without an end.
    package static let redirectLoop: ErrorCode = "redirectLoop"
    /// Screens object to being left.
    package static let leaveObjected: ErrorCode = "leaveObjected"
    /// No place on the stack has the link.
    package static let notOnStack: ErrorCode = "notOnStack"
    /// There is nothing to dismiss.
    package static let notPresented: ErrorCode = "notPresented"
    /// Something was presented from within a navigation.
    package static let presentedWithinNavigation: ErrorCode = "presentedWithinNavigation"
    /// A place on the stack can't be shown now.
    package static let screenUnavailable: ErrorCode = "screenUnavailable"
}
