@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumSession
internal import AtriumText

extension Options {
    /// The options that would need a separate host, if the running one has other values.
    package var wantedOfHost: JSONObject {
        var wanted = JSONObject()
        if let environment { wanted["env"] = .string(environment.rawValue) }
        if let api { wanted["api"] = .string("\(api)") }
        if let authority { wanted["ca"] = .string(HostIdentity.realPath(authority)) }
        if let database { wanted["database"] = .string(database) }
        if let configurationFile { wanted["config"] = .string(HostIdentity.realPath(configurationFile)) }
        for (name, option) in startOptions(onlyGiven: true) { wanted[name] = .string(option) }
        return wanted
    }

    /// The start options by their names in the protocol: which modules are loaded, and how they are tried.
    package func startOptions(onlyGiven: Bool) -> [String: String] {
        var options: [String: String] = [:]
        if !onlyGiven || selection != .all { options["modules"] = selection.text }
        if !triesModules {
            options["preflight"] = "--no-preflight"
        } else if !onlyGiven || given.contains("--preflight-timeout") {
            options["preflight"] = "--preflight-timeout \(preflightLimit.secondsText)"
        }
        if !onlyGiven || given.contains("--step-timeout") {
            options["steps"] = "--step-timeout \(stepLimit.secondsText)"
        }
        if !onlyGiven || clock != nil {
            options["clock"] = clock.map { "--clock \($0)" } ?? "the system's clock"
        }
        if !onlyGiven || http != nil { options["http"] = http ?? "no recording" }
        if !onlyGiven || logLevels != nil {
            options["log"] = "--log \((logLevels ?? LogLevels()).option)"
        }
        return options
    }

    private var http: String? {
        httpRecording.map { "--record-http \(HostIdentity.realPath($0))" }
            ?? httpReplay.map { "--replay-http \(HostIdentity.realPath($0))" }
    }
}

extension LogLevels {
    /// Reads the value of `--log`: `debug`, `Entities=debug,api=warning`.
    ///
    /// - Throws: ``ShellError`` with code `usage`.
    init(option: String) throws(ShellError) {
        self.init()
        for part in option.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard let level = LogLevels.level(named: words[words.count - 1]), words[0] != "" else {
                throw .usage(
                    "'--log' takes a level (\(LogLevels.names.joined(separator: ", "))), or one for a module, not '\(part.description.shortened)'.",
                    hint: "--log warning,Entities=debug")
            }
            if words.count == 1 || words[0] == "*" { standard = level } else { modules[words[0]] = level }
        }
    }

    /// The levels as typed after `--log`.
    var option: String {
        ([Self.name(of: standard)]
            + modules.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.name(of: $0.value))" }).joined(
                separator: ",")
    }
}
