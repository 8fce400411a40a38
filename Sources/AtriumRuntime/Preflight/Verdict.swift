/// What came of trying a library in a child process.
enum Verdict: Sendable {
    /// It was loaded, registered, and everything that it registers could be built.
    case passed
    /// It did harm, or what it registers can't be built.
    case refused(ModuleError)
}

/// A verdict as it is kept, by the digest of the library and the host that tried it.
struct KeptVerdict: Codable {
    /// Nil where it passed.
    let refusal: Refusal?
    /// Which build of the host tried it.
    let host: String

    struct Refusal: Codable {
        let code: String
        let message: String
        let hint: String?
    }
}
