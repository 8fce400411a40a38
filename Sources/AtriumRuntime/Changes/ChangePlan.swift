/// What a change of the modules would do, or did, and why.
package struct ChangePlan: Sendable {
    /// What happens to each module, in the order in which it happens.
    package internal(set) var steps: [Step] = []
    /// The shared values that are built anew because they hold something of what changes.
    package internal(set) var rebuilt: [String] = []
    /// The places on the stack whose screens are built anew, with their saved state.
    package internal(set) var places: [String] = []

    /// What happens to one module.
    package struct Step: Sendable {
        package let kind: Kind
        package let module: String
        /// The version that is there before; nil where none is.
        package let from: String?
        /// The version that is there after; nil where none is.
        package let to: String?
        /// Why.
        package let reason: String
        /// Whether the library is tried in a child process first, because it is new here.
        package var isTried = false
        /// The digest of the library that is loaded; nil where none is.
        package var digest: String?
    }

    /// The kinds of steps.
    package enum Kind: String, Sendable {
        /// Loaded, registered and activated.
        case load
        /// Another generation takes the place of the one that is there.
        case replace
        /// Stopped, with what it registered.
        case stop
        /// Taken off the list.
        case remove
        /// Put on the list, and loaded when it is first wanted.
        case install
        /// Put on the list, or left there, until what it requires arrives.
        case wait
    }
}

/// What a change came to.
package struct ChangeReport: Sendable {
    /// What was done.
    package let plan: ChangePlan
    /// What did not end in time, or could not be kept, in sentences.
    package var warnings: [String] = []
    /// How long it took, from the first look at the files.
    package var duration: Duration = .zero
}
