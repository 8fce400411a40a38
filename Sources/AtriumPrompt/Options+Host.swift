@_spi(Host) package import AtriumKit
internal import AtriumModules
internal import AtriumSession

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
        return options
    }
}
