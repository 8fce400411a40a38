@_spi(Host) package import AtriumKit

/// Why screens can't be added to those that there are.
package struct ScreenTableError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package var category: ErrorCategory { .module }

    private init(_ code: ErrorCode, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    @MainActor static func ambiguous(_ screen: ScreenRegistration, _ conflict: PatternTree.Conflict)
        -> ScreenTableError
    {
        ScreenTableError(
            .ambiguousLink,
            "Module '\(screen.module)' registers the screen '\(screen.pattern)', but links of this form, such "
                + "as '\(conflict.example)', lead to '\(conflict.screen.pattern)' of module "
                + "'\(conflict.screen.module)' already.",
            hint: "Give one of the two another path.")
    }

    @MainActor static func badPattern(_ screen: ScreenRegistration, _ problem: String) -> ScreenTableError {
        ScreenTableError(
            .badPattern,
            "Module '\(screen.module)' can't register the screen '\(screen.pattern)': \(problem).",
            hint: "Patterns look like 'entities', 'entities/:id', 'reports/:year?' or 'files/:path*'.")
    }

    @MainActor static func duplicateName(
        _ name: String, _ screen: ScreenRegistration, _ present: ScreenRegistration
    ) -> ScreenTableError {
        ScreenTableError(
            .duplicate,
            "Module '\(screen.module)' keeps places of two screens, '\(present.pattern)' and "
                + "'\(screen.pattern)', under the name '\(name)'.",
            hint: "Give one of the two another 'name', or leave '\(name)' out of its 'formerNames'.")
    }
}

extension ErrorCode {
    /// A link would lead to two screens.
    package static let ambiguousLink: ErrorCode = "ambiguousLink"
}
