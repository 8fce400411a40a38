internal import AtriumManifest

/// What the child process tries, as the host writes it.
struct PreflightRequest: Codable {
    /// The modules in the order in which they are loaded.
    let modules: [Module]
    /// How many bytes of data the child may have.
    let memoryLimit: Int

    /// A library to load.
    struct Module: Codable {
        let name: String
        /// The private copy.
        let library: String
        let digest: String
        /// Where it was found, for messages.
        let source: String
        /// Whether it is tried, or only required by one that is.
        let isNew: Bool
        /// What `modules.json` configures, as a JSON object.
        let configuration: String
    }
}

/// What the child reports, one line each.
struct PreflightEvent: Codable {
    let kind: Kind
    /// The module; nil for all together.
    var module: String?
    /// The step that begins.
    var step: Step?
    /// What was thrown or found.
    var refusal: KeptVerdict.Refusal?

    enum Kind: String, Codable {
        /// A step begins.
        case begin
        /// A module can't be used.
        case refused
        /// Everything was done.
        case done
    }

    enum Step: String, Codable {
        case load, create, register, verify, activate, deactivate

        /// The step in words, after "while".
        var phrase: String {
            switch self {
            case .load: "it was opened"
            case .create: "it was created"
            case .register: "it registered"
            case .verify: "what it registers was built"
            case .activate: "it was activated"
            case .deactivate: "it was stopped"
            }
        }
    }
}
