package import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumRepositories

/// A change that a user has to confirm first; nothing has changed.
package struct UnconfirmedChange: ExplainedError {
    package let doubts: [String]

    /// The doubts that the user of the running command has confirmed.
    @TaskLocal package static var confirmed: Set<String> = []

    package var code: ErrorCode { "confirmationNeeded" }
    package var message: String { doubts.joined(separator: " ") }
    package private(set) var hint: String? = "If this is intended, add --yes to the command."

    package init(doubts: [String]) { self.doubts = doubts }

    /// The error for a program without a user who confirms, and without the option `--yes`.
    package var unanswered: UnconfirmedChange {
        var change = self
        change.hint = "If this is intended, type the command at the host's prompt."
        return change
    }
}

extension ModuleManager {
    /// A change with one library for each module, and with what has to be confirmed first: which of two
    /// libraries is taken, a lower version, another module of the same name, another major version of a contract
    /// than in modules that rely on it.
    ///
    /// - Throws: ``UnconfirmedChange`` unless `isConfirmed`, or every doubt is among those that were confirmed.
    func examined(_ given: ChangeRequest, isConfirmed: Bool = true) throws -> ChangeRequest {
        guard given.cause == .command else { return given }
        var request = given
        request.additions = onePerName(given.additions, &request.doubts)
        request.updates = onePerName(given.updates, &request.doubts)
        for library in request.updates {
            guard let present = runtime.module(library.name) else { continue }
            if let version = present.manifest?.version, library.version < version {
                request.doubts.append(
                    "\(library.name) \(library.version) at '\(library.source)' is older than the "
                        + "current version \(version)."
                )
            }
            if let difference = difference(between: library, and: present, request) {
                request.doubts.append(
                    "'\(library.source)' may be a different module named \(library.name): "
                        + "\(difference).")
            }
            request.doubts += runtime.lostMajors(by: library, in: request)
        }
        guard isConfirmed || request.doubts.allSatisfy(UnconfirmedChange.confirmed.contains) else {
            throw UnconfirmedChange(doubts: request.doubts)
        }
        return request
    }

    /// The newest library of each module; of several with the same version, the last.
    func onePerName(_ libraries: [CheckedLibrary], _ doubts: inout [String]) -> [CheckedLibrary] {
        var kept: [CheckedLibrary] = []
        for library in libraries {
            guard let index = kept.firstIndex(where: { $0.name == library.name }) else {
                kept.append(library)
                continue
            }
            let other = kept[index]
            if library.version >= other.version { kept[index] = library }
            guard library.digest != other.digest else { continue }
            doubts.append(
                "Two files contain module \(library.name): '\(other.source)' (\(other.version)) and "
                    + "'\(library.source)' (\(library.version)). '\(kept[index].source)' would be used.")
        }
        return kept
    }

    /// What suggests that a library is not a build of the present module, as a clause; nil for nothing.
    private func difference(
        between library: CheckedLibrary, and present: Module, _ request: ChangeRequest
    ) -> String? {
        if let entry = present.manifest?.entry, entry != library.manifest.entry {
            return "its class is \(library.manifest.entry), not \(entry)"
        }
        guard let former = present.current?.library ?? present.library else { return nil }
        if let key = former.signer, let other = library.signer, key != other {
            return "it is signed by key \(other), not by \(key)"
        }
        if let origin = self.origin(of: former, nil), let other = self.origin(of: library, request),
            origin != other
        {
            return "it comes from '\(other)', not from '\(origin)'"
        }
        return nil
    }

    /// The repository that a library was installed from, or the folder of the package that it was built in;
    /// nil if neither is known.
    private func origin(of library: CheckedLibrary, _ request: ChangeRequest?) -> String? {
        let path = library.source
        // Elsewhere than in the data folder, the same build comes from somebody else.
        let isInstalled = Repositories.isLibrary(path, withDigest: library.digest)
        return request?.origins[library.digest] ?? (isInstalled ? runtime.origins[library.digest] : nil)
            ?? path.firstRange(of: "/.build/").map { String(path[..<$0.lowerBound]) }
    }
}
