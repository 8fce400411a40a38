@_spi(Host) internal import AtriumKit
internal import AtriumManifest

/// The location of the data of environment local on a database server.
package struct DatabaseURL: Sendable, Hashable {
    /// The URL with its secrets, if an environment variable supplied it.
    package let text: String

    /// The URL for display: as it was given, without secrets.
    package let shown: String

    /// The module that provides the engine.
    package var engine: String { "PostgreSQL" }

    /// - Throws: ``ConfigurationError``.
    package init(_ given: String) throws {
        shown = given
        guard let variable = VariableReference(given) else {
            text = given
            guard Self.isOfEngine(given) else { throw Self.unknown("'\(Self.withoutPassword(given))'") }
            guard Self.withoutPassword(given) == given else {
                throw ConfigurationError(
                    code: "secretInURL", message: "The URL of the database has a password in it.",
                    hint: "Put it into ~/.pgpass, or the whole URL into a variable: --database @env:NAME.",
                    cause: nil)
            }
            return
        }
        let name = variable.name
        guard let value = variable.value else {
            throw ConfigurationError(
                code: "variableMissing",
                message: "The environment has no variable '\(name)' for the database.",
                hint: "Set it before the host is started.", cause: nil)
        }
        text = value
        guard Self.isOfEngine(value) else { throw Self.unknown("The variable '\(name)'") }
    }

    /// The URL with a name for the connections, which the server shows unless the URL has one.
    package func text(naming name: String) -> String {
        let host = text.drop { $0 != "/" }.dropFirst(2)
        let user = host.prefix { $0 != "/" }.firstIndex(of: "@")
        let hasParameters = (user.map { host[$0...] } ?? host).contains("?")
        let encoded = name.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber { return String(character) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }
        return text + (hasParameters ? "&" : "?") + "fallback_application_name=" + encoded.joined()
    }

    private static func unknown(_ what: String) -> ConfigurationError {
        ConfigurationError(
            code: "badDatabaseURL", message: "\(what) is not the URL of a database.",
            hint: "postgresql://HOST/NAME", cause: nil)
    }

    private static func isOfEngine(_ url: String) -> Bool {
        url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")
    }

    /// True if a URL parameter is a password, or hides its name by percent-encoding, which no other needs.
    private static func hasPassword(_ parameter: Substring) -> Bool {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = parts.first else { return false }
        return key.contains("%") || key == "password" || key == "sslpassword"
    }

    /// The URL without the user's password and without password parameters.
    private static func withoutPassword(_ url: String) -> String {
        var url = url
        var rest = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        // As libpq parses it: the user ends at the first '@', unless a '/' comes before.
        if let end = url[rest...].firstIndex(where: { $0 == "@" || $0 == "/" }), url[end] == "@" {
            guard let colon = url[rest..<end].firstIndex(of: ":") else { return shown(url, from: end) }
            url.removeSubrange(colon..<end)
            rest = colon
        }
        return shown(url, from: rest)
    }

    /// A URL without password parameters, which follow an index.
    private static func shown(_ url: String, from start: String.Index) -> String {
        guard let question = url[start...].firstIndex(of: "?") else { return url }
        let parameters = url[url.index(after: question)...].split(
            separator: "&", omittingEmptySubsequences: false)
        return url[...question] + parameters.filter { !hasPassword($0) }.joined(separator: "&")
    }
}
