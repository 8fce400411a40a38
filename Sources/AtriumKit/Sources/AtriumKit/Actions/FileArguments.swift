/// A file that an action reads.
///
/// The host completes its path, resolves it in the folder where it was typed, also for an attached front end,
/// and replaces `~`. For `-` it is a file with all of standard input.
public struct InputFile: ArgumentValue, Hashable {
    public static var argumentTypeName: String { "a file to read" }
    /// The path, resolved by the host.
    public let path: String

    /// Takes a path as it is; nil if it is empty or contains NUL.
    public init?(argument: String) {
        guard let path = filePath(argument) else { return nil }
        self.path = path
    }

    public var argumentText: String { path }
}

/// A file that an action writes.
///
/// The host completes its path and resolves it like that of an ``InputFile``. For `-` it is a new file, whose
/// text is printed on standard output once the action has succeeded.
public struct OutputFile: ArgumentValue, Hashable {
    public static var argumentTypeName: String { "a file to write" }
    /// The path, resolved by the host.
    public let path: String

    /// Takes a path as it is; nil if it is empty or contains NUL.
    public init?(argument: String) {
        guard let path = filePath(argument) else { return nil }
        self.path = path
    }

    public var argumentText: String { path }
}

/// Returns `text` if it can be a path; nil if it is empty or contains NUL.
private func filePath(_ text: String) -> String? { text.isEmpty || text.utf8.contains(0) ? nil : text }
