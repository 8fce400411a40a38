@_spi(Host) internal import AtriumKit
internal import AtriumManifest

extension TranscriptPlayer {
    /// A reason not to play a transcript.
    struct Unprepared {
        /// The number of the line in the file.
        let line: Int
        /// A sentence.
        let problem: String
    }

    /// Checks the modules that a transcript needs and adds the data of its seeds; returns what is missing.
    ///
    /// Seeds are typed as if above the first line: by bash, or in its scene, which keeps the data of mocks.
    ///
    /// - Throws: `CancellationError` only.
    func prepare(_ transcript: Transcript) async throws -> Unprepared? {
        let head = transcript.head
        if !head.needs.isEmpty {
            let modules = try await modules()
            for (line, need) in head.needs {
                if let problem = modules.problem(of: need) { return Unprepared(line: line, problem: problem) }
            }
        }
        for (line, name) in head.seeds {
            let target = transcript.steps.first { !$0.isSetup }?.target ?? .shell
            // The head takes only names, which end no quotes.
            let command = "seed \"\(name)\""
            let input = target == .shell ? "atrium -c '\(command)'" : command
            let played = try await perform(Transcript.Step(number: line, target: target, input: input))
            let error = played.shown.first { $0.hasPrefix("error: ") }?.dropFirst("error: ".count)
            if let problem = played.problem ?? error.map(String.init) {
                return Unprepared(line: line, problem: "The seed '\(name)' can't be added: \(problem)")
            }
        }
        return nil
    }

    /// The modules of a host, by name.
    private func modules() async throws -> HostModules {
        let step = Transcript.Step(number: 1, target: .shell, input: "atrium --json -c modules")
        let played = try await perform(step)
        var modules = HostModules(problem: played.problem ?? played.shown.joined(separator: " "))
        for line in played.shown {
            guard let json = try? StateCoding.decode(JSONValue.self, from: line),
                case .array(let rows)? = json["result"]?["rows"]
            else { continue }
            modules.problem = nil
            for row in rows { modules.versions[row["name"]?.stringValue ?? ""] = row["version"]?.stringValue }
        }
        return modules
    }
}

/// The modules of a host.
private struct HostModules {
    /// The reason that they are not known.
    var problem: String?
    var versions: [String: String] = [:]

    func problem(of need: TranscriptHead.Need) -> String? {
        let range = need.range.description
        let wanted = "It needs module '\(need.module)'" + (range == "*" ? "" : " \(range)")
        if let problem { return "\(wanted), and the host's modules can't be listed: \(problem)" }
        guard let version = versions[need.module] else {
            return "\(wanted), which the host does not have: name a file that lists it with --config FILE."
        }
        let isFitting = (try? SemanticVersion(parsing: version)).map(need.range.contains) ?? false
        return isFitting ? nil : "\(wanted), and the host has version \(version)."
    }
}
