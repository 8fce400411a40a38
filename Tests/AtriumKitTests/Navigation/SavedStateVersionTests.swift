import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Versions of saved state")
@MainActor
struct SavedStateVersionTests {
    /// Version 2 has renamed `pages`; version 1 had no bookmark either.
    private final class Reader: ViewModel {
        struct SavedState: Codable, Equatable {
            var page = 0
            var bookmark: String?
        }

        static var savedStateVersion: Int { 2 }
        var savedState = SavedState()

        func restore(_ state: SavedState) { savedState = state }

        static func migrateSavedState(_ state: JSONObject, from version: Int) throws -> JSONObject? {
            guard let pages = state["pages"] else { return nil }
            guard pages != .integer(-1) else { throw ValidationError(findings: []) }
            return ["page": pages]
        }
    }

    /// The same with its first version.
    private final class Plain: ViewModel {
        var savedState = 7
        func restore(_ state: Int) { savedState = state }
    }

    private func restored(_ text: String) throws -> Reader.SavedState {
        let reader = Reader()
        try RecordedViewModel(reader).restoreState(text)
        return reader.savedState
    }

    @Test("State is saved behind its version, unless that is 1")
    func saved() throws {
        let reader = Reader()
        reader.savedState = .init(page: 4, bookmark: "2 {}")

        #expect(try RecordedViewModel(reader).saveState() == #"2 {"bookmark":"2 {}","page":4}"#)
        #expect(try RecordedViewModel(Plain()).saveState() == "7")
        #expect(try restored(#"2 {"bookmark":"2 {}","page":4}"#) == reader.savedState)
    }

    @Test("State of a lower version is migrated")
    func migrated() throws {
        let former = #"{"pages":9}"#

        #expect(RecordedViewModel(Reader()).fits(former))
        #expect(try restored(former) == .init(page: 9))
        #expect(try restored(#"1 {"pages":9}"#) == .init(page: 9))
    }

    @Test(
        "State that can't be migrated, or is newer, is an error",
        arguments: [
            (#"{"page":9}"#, "saved it in version 1, which version 2 can't migrate."),
            (#"{"pages":-1}"#, "saved it in version 1, which version 2 can't migrate."),
            (#"3 {"page":9}"#, "saved it in version 3, and this build has version 2."),
        ])
    func refused(text: String, end: String) {
        #expect(!RecordedViewModel(Reader()).fits(text))
        let error = #expect(throws: ServiceError.self) { try restored(text) }
        #expect(error?.message.hasSuffix(end) == true)
    }

    @Test("Damaged state is an error", arguments: ["", "2", "2 ", "x {}", "2 {", "7", #"2 {"page":"x"}"#])
    func damaged(text: String) {
        #expect(!RecordedViewModel(Reader()).fits(text))
        #expect(throws: (any Error).self) { try restored(text) }
    }
}
