@_spi(Host) import AtriumKit
import FoundationEssentials

@testable import AtriumCrash
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumNavigation
@testable import AtriumNetworking

extension FuzzTarget {
    /// State files: stack, session, tokens, installed modules, crashes, journal, JSON of any kind.
    static let state = FuzzTarget(name: "state") { bytes in
        var choices = Choices(bytes)
        let kind = choices.byte()
        let text = String(decoding: choices.rest, as: UTF8.self)
        switch kind % 8 {
        case 0: try keep(NavigationState.self, text, use)
        case 1: try keep(StoredSession.self, text) { _ = ("\($0.user)", $0.credential.isExpired(at: now)) }
        case 2: try keep(AccessTokens.self, text, use)
        case 3: try keep(InstalledModules.self, text) { _ in }
        case 4: try keep(CrashHistory.self, text, use)
        case 5:
            guard let event = try? StateCoding.decode(JournalEvent.self, from: text) else { return }
            _ = try StateCoding.decode(JournalEvent.self, from: StateCoding.encode(event))
        case 6:
            guard let record = CrashRecord(text: text) else { return }
            _ = (record.sentence, record.module)
            var history = CrashHistory()
            history.append(record)
            history.append(record)
        default:
            try keep(JSONValue.self, text) { value in
                let again = try? JSONDecoder().decode(JSONValue.self, from: Data(value.serialized.utf8))
                try require(again == value, "JSON is written differently: \(value.serialized)")
            }
        }
        if let moment = Timestamp(rfc3339: text) {
            try require(Timestamp(rfc3339: moment.rfc3339) == moment, "a time differs: \(moment.rfc3339)")
        }
    }

    private static let now = Timestamp(microseconds: 1_795_000_000_000_000)

    /// What is read is written so that it is read again.
    private static func keep<Value: Codable & Equatable>(
        _ type: Value.Type, _ text: String, _ use: (Value) throws -> Void
    ) throws {
        guard let value = try? StateCoding.decode(type, from: text) else { return }
        let written = try StateCoding.encode(value)
        guard let again = try? StateCoding.decode(type, from: written) else {
            throw BrokenRule(description: "what is written can't be read: \(written)")
        }
        try require(again == value, "what is read again differs: \(written)")
        try use(value)
    }

    private static func use(_ state: NavigationState) throws {
        for operation in [.back, .forward, .root, .dismiss] as [NavigationState.Operation] {
            _ = state.applying(operation)
        }
        for entry in state.entries + state.ahead {
            _ = state.applying(.pop(to: entry.id))
            _ = state.applying(.remove(entry.id))
            _ = state.applying(.bringToFront(entry.id))
        }
    }

    private static func use(_ tokens: AccessTokens) throws {
        var current = CurrentTokens(leeway: .seconds(10))
        for areNew in [true, false] {
            for moment in [now, Timestamp(microseconds: 0)] {
                current.install(tokens, now: moment, areNew: areNew)
                _ = "\(tokens.expiresAt?.description ?? "") \(tokens.expiresAt?.rfc3339 ?? "")"
            }
        }
    }

    private static func use(_ history: CrashHistory) throws {
        var history = history
        history.append(
            CrashRecord(process: 1, signal: 11, status: nil, time: now, commands: [], activities: []))
    }
}
