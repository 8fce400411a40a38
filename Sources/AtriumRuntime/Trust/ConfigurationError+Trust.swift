internal import AtriumKit
internal import AtriumManifest

extension ConfigurationError {
    static func lockUnreadable(_ error: any Error) -> ConfigurationError {
        let unreadable = ConfigurationError.unreadable(error)
        return ConfigurationError(
            code: "lockUnreadable", message: unreadable.message,
            hint: "Make it readable, or write it again with 'atrium lock'.", cause: error)
    }

    static func lockInvalid(_ path: String, _ error: ManifestError) -> ConfigurationError {
        ConfigurationError(
            code: "lockInvalid", message: "'\(path)' is invalid: \(error.sentence)",
            hint: "Put back the file as it was, or write it again with 'atrium lock'.", cause: error)
    }

    static func notAKey(_ text: String, _ problem: MinisignProblem) -> ConfigurationError {
        ConfigurationError(
            code: "configurationInvalid",
            message: "'\(text)' in modules.json is no minisign public key: \(problem.reason).",
            hint: "Copy the line that begins with RW out of the .pub file.", cause: problem)
    }
}
