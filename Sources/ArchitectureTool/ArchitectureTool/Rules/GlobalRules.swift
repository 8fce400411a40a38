import SwiftSyntax

/// Things that a module must not reach for, or turn off.
extension Rule {
    /// Process-wide values, and those that a module gets from its context.
    private static let globals: [(path: String, name: String, advice: String)] = [
        (
            "AtriumKit.SessionManager.shared", "SessionManager.shared",
            "take the context's 'session', which repositories write and view models read"
        ),
        ("AtriumKit.FlowManager.shared", "FlowManager.shared", "keep a 'FlowModel' in the view model"),
        (
            "Foundation.UserDefaults.standard", "UserDefaults.standard",
            "store it with a service in the 'Database'"
        ),
        (
            "Foundation.NotificationCenter.default", "NotificationCenter.default",
            "send changes with an 'ObserverList'"
        ),
        ("FoundationNetworking.URLCache.shared", "URLCache.shared", "keep answers in a repository's 'Cache'"),
        (
            "FoundationNetworking.HTTPCookieStorage.shared", "HTTPCookieStorage.shared",
            "leave credentials to the API client"
        ),
    ]

    /// A module gets what it uses from its context, where tests replace it.
    static let globalAccess = Rule("global-access") { code in
        code.references.findings { reference in
            guard reference.symbol.kind.isGlobal,
                let path = QualifiedName(usr: reference.symbol.usr)?.foundationPath,
                let global = globals.first(where: { $0.path == path })
            else {
                guard ["c:@F@setenv", "c:@F@putenv", "c:@F@unsetenv"].contains(reference.symbol.usr) else {
                    return nil
                }
                return
                    "'\(reference.symbol.baseName)' changes the whole process; take a value from the configuration"
            }
            return
                "'\(global.name)' is one for the whole process, which tests can't replace; \(global.advice)"
        }
    }

    /// The compiler proves that no data is changed from two threads; code that opts out says why.
    static let uncheckedSendable = Rule("unchecked-sendable") { code in
        func problem(_ node: some SyntaxProtocol, _ spelling: String) -> (any SyntaxProtocol, String) {
            (
                node,
                "'\(spelling)' turns the compiler's check for data races off; "
                    + "use an actor, the main actor or a 'Mutex'"
            )
        }
        return code.findings(at: AttributeSyntax.self) { attribute, _ in
            attribute.name == "unchecked" ? problem(attribute, "@unchecked Sendable") : nil
        }
            + code.findings(at: DeclModifierSyntax.self) { modifier, _ in
                modifier.trimmedDescription == "nonisolated(unsafe)"
                    ? problem(modifier, "nonisolated(unsafe)") : nil
            }
    }
}
