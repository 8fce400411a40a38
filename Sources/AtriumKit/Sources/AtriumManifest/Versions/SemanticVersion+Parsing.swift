extension SemanticVersion {
    /// Reads a version: three numbers, then optionally `-` and a prerelease, then optionally `+` and
    /// build metadata.
    ///
    /// - Throws: ``VersionSyntaxError`` naming the piece that is wrong.
    public init(parsing text: String) throws(VersionSyntaxError) {
        do {
            var reader = VersionReader(text)
            self = try reader.version()
        } catch {
            throw VersionSyntaxError(
                message: "\(Wording.quoted(text)) is not a version: \(error.reason); allowed: three numbers "
                    + "such as 1.0.0, then optionally a prerelease and build metadata, as in 1.0.0-beta.1+7.")
        }
    }
}

extension VersionReader {
    /// Reads a whole version and nothing after it.
    fileprivate mutating func version() throws(VersionRefusal) -> SemanticVersion {
        let major = try number("major")
        let minor = try number("minor", after: "major")
        let patch = try number("patch", after: "minor")
        let prerelease = take("-") ? try self.prerelease() : []
        let build = take("+") ? try self.build() : nil
        if !isAtEnd { throw VersionRefusal(reason: "found \(Wording.quoted(remainder)) at its end") }
        return SemanticVersion(major, minor, patch, prerelease: prerelease, build: build)
    }

    private mutating func number(_ name: String, after earlier: String) throws(VersionRefusal) -> Int {
        if take(".") { return try number(name) }
        throw VersionRefusal(
            reason: isAtEnd
                ? "its \(name) number is missing"
                : "found \(Wording.quoted(remainder)) after its \(earlier) number")
    }
}
