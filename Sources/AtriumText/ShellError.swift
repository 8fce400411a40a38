@_spi(Host) package import AtriumKit
internal import Glibc

/// An error with details, which are printed like a result before it, and are its member `details` in JSON.
package protocol DetailedError: ExplainedError {
    var details: Content? { get }
}

/// An error of the shell, or one whose type does not explain itself.
package struct ShellError: DetailedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let cause: (any Error)?
    package let category: ErrorCategory
    package let details: Content?

    package init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil,
        category: ErrorCategory = .failure, details: Content? = nil
    ) {
        (self.code, self.message, self.hint) = (code, message, hint)
        (self.cause, self.category, self.details) = (cause, category, details)
    }

    package static func explain(_ error: any Error) -> any ExplainedError {
        if let explained = error as? any ExplainedError {
            // A hint is to be typed: it is whole, or left out.
            return explained.reworded(\.withShortWords) { $0.utf8.count > 2_000 ? nil : $0 }
        }
        if error is CancellationError {
            return ShellError(.cancelled, "The command was cancelled.", cause: error, category: .cancelled)
        }
        return ShellError(
            .unexpected, "An unexpected error of type '\(type(of: error))' occurred.",
            hint: "This is a defect of the module that did it; report it to its author.", cause: error)
    }

    /// An unknown name; the hint is the nearest known name, or `hint`.
    package static func unknown(
        _ code: ErrorCode, _ name: String, among known: [String], else hint: String,
        _ message: (_ shown: String) -> String
    ) -> ShellError {
        let nearest = NearestName.of(name, among: known.filter { $0 != name }).map { "Did you mean '\($0)'?" }
        return ShellError(code, message(name.shortened), hint: nearest ?? hint)
    }
}

extension ExplainedError {
    /// The same error with a change to the words of its message and its hint.
    package func reworded(
        _ change: (String) -> String, hint changeHint: (String) -> String?
    ) -> any ExplainedError {
        let (message, hint) = (change(self.message), self.hint.flatMap(changeHint))
        guard message != self.message || hint != self.hint else { return self }
        return ShellError(
            code, message, hint: hint, cause: self, category: category,
            details: (self as? any DetailedError)?.details)
    }

    package func showing(_ details: Content?) -> ShellError {
        ShellError(code, message, hint: hint, cause: self, category: category, details: details)
    }

    /// The same error, with a first sentence that names the commands that succeeded.
    package func following(_ commands: [String]) -> any ExplainedError {
        let names = commands.map { "'\($0.excerpt)'" }
        guard let last = names.last else { return self }
        let others = names.dropLast().joined(separator: ", ")
        return ShellError(
            code, "\(others.isEmpty ? last : "\(others) and \(last)") succeeded. \(message)", hint: hint,
            cause: self, category: category, details: (self as? any DetailedError)?.details)
    }
}

extension String {
    /// A word as shown in messages: without the secrets of a link, and not too long.
    package var shortened: String { Redaction.shown(self).excerpt }

    /// The text without the middle of words of over 300 characters, such as paths.
    package var withShortWords: String {
        guard utf8.count > 300 else { return self }
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).map { $0.abridged(to: 300) }
                .joined(separator: " ")
        }
        return lines.joined(separator: "\n")[...].abridged(to: 10_000)
    }
}

extension Substring {
    fileprivate func abridged(to limit: Int) -> String {
        let (scalars, half) = (unicodeScalars, limit / 2)
        guard scalars.count > limit else { return String(self) }
        return String(scalars.prefix(half)) + "…" + String(scalars.suffix(half - 1))
    }
}
