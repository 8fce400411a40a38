@_spi(Host) package import AtriumKit

/// Why a navigation did not happen.
package struct NavigationError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let category: ErrorCategory

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
    }

    /// A view model outlived the stack that it was made for.
    static let stackIsGone = NavigationError(
        .stackIsGone, "The place that wanted to go somewhere has been left.", hint: "links")

    static func unknownLink(_ link: Link, patterns: [String]) -> NavigationError {
        let nearest =
            NearestName.of(link.segments.joined(separator: "/"), among: patterns)
            ?? patterns.first { $0.hasPrefix(link.segments[0] + "/") }
        return NavigationError(
            .unknownLink, "No screen has the link '\(link)'.",
            hint: nearest.map { "Did you mean '\($0)'? 'links' lists all." }
                ?? "'links' lists the links of all screens.")
    }

    @MainActor static func ambiguous(_ screen: ScreenRegistration, _ present: ScreenRegistration)
        -> NavigationError
    {
        NavigationError(
            .ambiguousLink,
            "Module '\(screen.module)' registers the screen '\(screen.pattern)', but links of this form lead to "
                + "'\(present.pattern)' of module '\(present.module)' already.",
            hint: "Give one of the two another path.", category: .module)
    }

    static func notRegistered(_ destination: any Destination) -> NavigationError {
        NavigationError(
            .unknownLink,
            "No active module registers a screen for the destination '\(type(of: destination).pattern)'.")
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

    static func unreadable(_ entry: StackEntry, by version: Int) -> NavigationError {
        NavigationError(
            .screenUnavailable,
            version == entry.version
                ? "What was kept of the place '\(entry.link)' is damaged: module '\(entry.module)' can't read it."
                : "The place '\(entry.link)' was kept by version \(entry.version) of its destination, and module "
                    + "'\(entry.module)' has version \(version), which can't read it.",
            hint: "back")
    }
}

extension ErrorCode {
    /// What moves a stack that is not there any more.
    package static let stackIsGone: ErrorCode = "stackIsGone"
    /// No screen has this link.
    package static let unknownLink: ErrorCode = "unknownLink"
    /// A link would lead to two screens.
    package static let ambiguousLink: ErrorCode = "ambiguousLink"
    /// A place on the stack can't be shown now.
    package static let screenUnavailable: ErrorCode = "screenUnavailable"
}
