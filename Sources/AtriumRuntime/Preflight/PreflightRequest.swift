internal import AtriumManifest

/// What the child process is to try, as the host writes it for the child.
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
        /// Whether it is the one to be tried, or only needed by one.
        let isNew: Bool
        /// What `modules.json` configures, as a JSON object.
        let configuration: String
    }
}

/// What the child tells of its work, one line each.
struct PreflightEvent: Codable {
    let kind: Kind
    /// Which module it is about; nil for all of them together.
    var module: String?
    /// What is begun.
    var step: Step?
    /// What was thrown or found.
    var refusal: KeptVerdict.Refusal?

    enum Kind: String, Codable {
        /// A step begins.
        case begin
        /// A module can't be used, for a reason that can be told.
        case refused
        /// Everything was done.
        case done
    }

    enum Step: String, Codable {
        case load, create, register, verify, activate, deactivate

        /// The step as it stands behind "while".
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
