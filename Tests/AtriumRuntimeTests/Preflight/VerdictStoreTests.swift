@_spi(Host) import AtriumKit
import AtriumManifest
import Synchronization
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

private final class SettableClock: WallClock {
    private let time = Atomic<Int64>(1_000_000_000_000_000)

    func now() -> Timestamp { Timestamp(microseconds: time.load(ordering: .relaxed)) }
    func advance(hours: Int64) { time.add(hours * 3_600_000_000, ordering: .relaxed) }
}

@Suite("Verdicts on libraries")
struct VerdictStoreTests {
    private let folder = TemporaryFolder()
    private let clock = SettableClock()
    private let error = ModuleError(.crashes, "It crashed.", hint: "Fix it.")

    private var store: VerdictStore {
        VerdictStore(folder: folder.path("verdicts"), executable: "/proc/self/exe", clock: clock)
    }

    private func library(_ name: String, digest: String) throws -> CheckedLibrary {
        CheckedLibrary(
            manifest: try manifest(manifestJSON(name)), source: "/modules/lib\(name).so",
            copy: StoredLibrary(path: "/copies/\(digest).so", digest: digest), evidence: "", identity: "")
    }

    private func refusal(_ digest: String) -> ModuleError? {
        if case .refused(let error)? = store.verdict(on: digest) { error } else { nil }
    }

    @Test("A refusal names when and with which limits the library was tried")
    func told() throws {
        store.store(error, on: try library("Catalog", digest: "aa"), limits: "5 s a step")

        let kept = try #require(refusal("aa"))

        #expect(kept.code == .crashes)
        #expect(
            kept.message
                == "It crashed. It was tried at 2001-09-09T01:46:40Z with 5 s a step; that counts for a day.")
        #expect(kept.hint == "Fix it.")
    }

    @Test("A refusal expires after a day, and when the clock was set back before it")
    func expires() throws {
        store.store(error, on: try library("Catalog", digest: "aa"), limits: "")

        clock.advance(hours: 23)
        #expect(refusal("aa") != nil)
        clock.advance(hours: 1)
        #expect(store.verdict(on: "aa") == nil)
        clock.advance(hours: -25)
        #expect(store.verdict(on: "aa") == nil)
    }

    @Test("A pass does not expire, and takes the place of a refusal")
    func passes() throws {
        store.store(error, on: try library("Catalog", digest: "aa"), limits: "")
        store.storePass(of: "aa")
        clock.advance(hours: 10_000)

        guard case .passed? = store.verdict(on: "aa") else {
            Issue.record("There is no pass.")
            return
        }
        #expect(folder.names(in: "verdicts") == ["aa.passed"])
    }

    @Test("The refused libraries of a module are found by its name, and where they were")
    func named() throws {
        store.store(error, on: try library("Catalog", digest: "aa"), limits: "")
        store.store(error, on: try library("Shop", digest: "bb"), limits: "")

        let found = store.refusals(of: "Shop")

        #expect(found.map(\.digest) == ["bb"])
        #expect(found.map(\.source) == ["/modules/libShop.so"])
        store.remove("bb")
        #expect(store.refusals(of: "Shop").isEmpty)
        #expect(refusal("aa") != nil)
    }

    @Test("A damaged verdict is none")
    func damaged() throws {
        store.store(error, on: try library("Catalog", digest: "aa"), limits: "")
        folder.write("{".utf8, to: "verdicts/aa.json")

        #expect(store.verdict(on: "aa") == nil)
    }
}
