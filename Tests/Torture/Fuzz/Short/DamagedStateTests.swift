@_spi(Host) import AtriumKit
import AtriumStorage
import TestSupport
import Testing

@testable import AtriumCrash
@testable import AtriumHosts
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumNavigation

/// Every kind of state file, each with content that no host writes.
@Suite("Damaged state files")
struct DamagedStateTests {
    private let folder = TemporaryFolder()

    /// The tokens of a server, as `TokenFile` writes them.
    private struct Tokens: Decodable {
        let server: String
        let tokens: AccessTokens
    }

    @Test("A damaged state file is reported with the field that is wrong, and without its value")
    func fields() throws {
        try check(
            "session-local.json", StoredSession.self,
            #"{"user":{"id":"1"},"credential":{"token":"secret","expiresAt":1}}"#,
            "field 'user.email' is missing.")
        try check(
            "tokens-live.json", Tokens.self,
            #"{"server":"https://example.com","tokens":{"id":"1","accessToken":["secret"]}}"#,
            "field 'tokens.accessToken' has another type.")
        try check(
            "navigation-local.json", NavigationState.self, #"{"entries":[{"id":1}],"nextID":2}"#,
            "field 'entries[0].module' is missing.")
        try check(
            "scene-local-desk.json", NavigationState.self, #"{"entries":[],"nextID":0}"#,
            "field 'nextID' has a value that can't be read.")
        try check(
            "module-states-local.json", ModuleStates.self,
            #"{"current":{"Counter":{"version":"secret","json":"{}","build":"1"}},"earlier":{}}"#,
            "field 'current.Counter.version' has another type.")
        try check(
            "module-configuration.json", ConfigurationChanges.self, #"{"modules":{"Entities":5}}"#,
            "field 'modules.Entities' has another type.")
        try check(
            "installed.json", InstalledModules.self,
            #"{"added":[{"name":"Plain"}],"removed":[],"rolledBack":{},"isWatching":false}"#,
            "field 'added[0].path' is missing.")
        try check(
            "crashes.json", CrashHistory.self, #"{"crashes":[{"time":"secret"}],"quarantined":{}}"#,
            "field 'crashes[0].time' has a value that can't be read.")
        try check(
            "change.json", ChangeIntent.self,
            #"{"installed":{"added":[],"removed":[],"rolledBack":{},"isWatching":false},"#
                + #""configuration":{"modules":{}},"databases":[{"module":"Notes"}]}"#,
            "field 'databases[0].version' is missing.")
        try check(
            "rollouts.json", [String: RolloutRecord.Entry].self,
            #"{"order":{"module":"Notes","until":1}}"#, "field 'order.hasEnded' is missing.")
        try check(
            "verdict.json", VerdictStore.Refusal.self,
            #"{"error":{"code":"x","message":"x"},"module":"A","source":"a","limits":"","time":1}"#,
            "field 'host' is missing.")
    }

    @Test(
        "A file without fields is reported with what it is instead",
        arguments: [
            ("", "it is not valid JSON."), (#"{"entries":["#, "it is not valid JSON."),
            ("[]", "the whole value has another type."), ("null", "the whole value has another type."),
        ])
    func whole(_ text: String, _ reason: String) throws {
        try check("navigation-local.json", NavigationState.self, text, reason)
    }

    /// Reads a file as the list of scenes does, and as a start does.
    private func check<Value: Decodable>(
        _ name: String, _ type: Value.Type, _ text: String, _ reason: String
    ) throws {
        let path = folder.write(text.utf8, to: name)
        let file = StateFile(path: path, isDurable: false)
        var reported: [String] = []

        let seen = #expect(throws: StorageError.self) { try file.peek(type) }
        let value = try file.load(type) { reported.append($0.message) }
        let isLoaded = value != nil

        #expect(!isLoaded)
        #expect(seen?.message == "'\(path)' is damaged and was not loaded: \(reason)")
        #expect(reported == [seen?.message ?? ""])
        #expect(folder.names().contains("\(name).damaged"))
        #expect(!folder.names().contains(name))
    }
}
