@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumRepositories

@Suite("Repositories")
struct RepositoryTests {
    private let folder = RepositoryFolder()

    private func problem(_ trust: TrustPolicy? = nil) -> RepositoryError? {
        let catalog = folder.catalog(trust)
        #expect(catalog.problems.count <= 1)
        return catalog.problems.first
    }

    // MARK: - Writing

    @Test("The index lists every version in a folder, and everybody may read it")
    func write() throws {
        try folder.add("Notes", "1.0.0", requires: #"{"Tags": "^1.0.0"}"#)
        try folder.add("Notes", "1.1.0", file: "libNotes-1.1.0.so")
        folder.folder.write(ELFImage(machine: try SystemLibrary.machine(), []).bytes, to: "libOther.so")

        let report = try folder.index()

        #expect(report.entries.map(\.file) == ["libNotes.so", "libNotes-1.1.0.so"])
        #expect(report.others == ["libOther.so"] && report.key == nil)
        #expect(folder.catalog().offers["Notes"]?.map(\.version.description) == ["1.1.0", "1.0.0"])
        #expect(problem() == nil)
        #expect(folder.folder.names().count == 4)
    }

    @Test("Two builds of one version are refused, equal files are one entry")
    func sameVersion() throws {
        try folder.add("Notes", file: "libA.so")
        try folder.add("Notes", file: "libB.so")
        #expect(try folder.index().entries.map(\.file) == ["libA.so"])
        let former = folder.text
        try folder.add("Notes", file: "libB.so", padding: [1])

        let error = try folder.failure()

        #expect(error.message == "'libA.so' and 'libB.so' are different builds of Notes 1.0.0.")
        #expect(folder.text == former && folder.folder.names() == ["index.json", "libA.so", "libB.so"])
    }

    @Test("A folder without modules, a damaged library and one outside leave the former index")
    func badFolders() throws {
        #expect(try folder.failure().code == .noModules)
        try folder.add("Notes")
        try folder.index()
        let former = folder.text
        let library = contents(folder.folder.path("libNotes.so"))

        folder.folder.write(library.dropLast(80), to: "libCut.so")
        #expect(try folder.failure().code == .notALibrary)
        unlink(folder.folder.path("libCut.so"))
        let other = TemporaryFolder()
        symlink(other.write(library, to: "libNotes.so"), folder.folder.path("libLink.so"))
        #expect(try folder.failure().code == "linkOutside")
        unlink(folder.folder.path("libLink.so"))
        folder.folder.write(library, to: "libNew\nLine.so")
        unlink(folder.folder.path("libNotes.so"))
        #expect(try folder.failure().code == "indexInvalid")

        #expect(folder.text == former)
        let missing = #expect(throws: RepositoryError.self) {
            try RepositoryWriter.write("/nonexistent", key: nil, now: Timestamp(microseconds: 0))
        }
        #expect(missing?.message == "The folder '/nonexistent' can't be read: No such file or directory.")
        #expect(throws: RepositoryError.self) {
            try RepositoryWriter.write("", key: nil, now: Timestamp(microseconds: 0))
        }
    }

    @Test("An index that is a link is not written through it")
    func linkedIndex() throws {
        try folder.add("Notes")
        let other = TemporaryFolder()
        symlink(other.write([1], to: "target"), folder.folder.path("index.json"))

        #expect(try folder.failure().code == "fileUnwritable")
        #expect(contents(other.path("target")) == [1])
    }

    // MARK: - Signatures

    @Test("An index signed with a key of minisign is trusted by hosts that trust the key")
    func signed() throws {
        try folder.add("Notes")
        let key = folder.folder.write(RepositoryFolder.secretKey.utf8, to: "key")
        let policy = try RepositoryFolder.policy([RepositoryFolder.publicKey])

        #expect(try folder.index(key: key).key == RepositoryFolder.publicKey)
        #expect(problem(policy) == nil && folder.catalog(policy).names == ["Notes"])
        #expect(
            problem(try RepositoryFolder.policy([Recorded.key]))?.message
                == "The index of the repository '\(folder.path)' is not trusted: its signature is by key "
                + "C27FA0C60FD59F3C, modules.json trusts \(Recorded.keyID).")

        folder.folder.write(folder.text.replacing("For tests", with: "For toast").utf8, to: "index.json")
        #expect(problem(policy)?.code == .untrusted && folder.catalog(policy).names.isEmpty)

        try folder.index()
        #expect(
            problem(policy)?.message
                == "The index of the repository '\(folder.path)' is not trusted: there is no signature "
                + "'\(folder.path)/index.json.minisig'.")
        #expect(problem() == nil)
    }

    @Test("A key that has a password, is damaged or none is refused")
    func badKeys() throws {
        try folder.add("Notes")
        func reason(_ text: String) throws -> String {
            let key = folder.folder.write(text.utf8, to: "key")
            let message = try folder.failure(key: key).message
            return String(message.dropFirst("'\(key)' can't be used as a minisign secret key: ".count))
        }
        let key = RepositoryFolder.secretKey

        #expect(
            try reason(key.replacing("RWQAAEIy", with: "RWRTY0Iy"))
                == "it has a password, which only minisign asks for.")
        #expect(try reason(key.replacing("Kd6WpBT", with: "Kd6WpBU")) == "it is damaged.")
        #expect(try reason("") == "it does not have the two lines of a secret key.")
        #expect(
            try reason("untrusted comment: x\n\(RepositoryFolder.publicKey)")
                == "line 2, the key, has 212 characters, not 56.")
        #expect(folder.folder.names() == ["key", "libNotes.so"])
    }

    // MARK: - Reading

    @Test("A repository that is missing, has no index, a damaged one or a link is named")
    func unusable() throws {
        #expect(problem()?.message == "The repository '\(folder.path)' has no index.json.")
        folder.folder.write("{".utf8, to: "index.json")
        #expect(
            problem()?.message.hasPrefix("The index of the repository '\(folder.path)' is damaged: line 1: ")
                == true)
        folder.folder.write(
            "{\"version\":1,\"modules\":[\(String(repeating: "1,", count: 9_000))1]}".utf8, to: "index.json")
        let message = problem()?.message ?? ""
        #expect(message.hasSuffix(" There are 8998 more reasons.") && message.utf8.count < 1_000)
        rename(folder.folder.path("index.json"), folder.folder.path("other.json"))
        symlink("other.json", folder.folder.path("index.json"))
        #expect(problem()?.message.hasSuffix("index.json' can't be read: it is a symbolic link.") == true)

        let missing = Repository(folder: folder.folder.path("nowhere"))
        let error = #expect(throws: RepositoryError.self) { try missing.index(nil) }
        #expect(error?.code == "repositoryMissing")
    }

    @Test("An index of more than 4 MB is not read")
    func sizeLimit() throws {
        folder.folder.write([UInt8](repeating: 0x20, count: RepositoryIndex.sizeLimit + 1), to: "index.json")

        #expect(problem()?.message.contains("larger than 4 MB") == true, "\(problem()?.message ?? "")")
    }

    @Test("An index or a folder that others can write is refused")
    func writable() throws {
        try folder.add("Notes")
        try folder.index()
        chmod(folder.path, 0o777)

        #expect(
            problem()?.message
                == "The folder '\(folder.path)', which holds an index, can be changed by every user.")
    }

    @Test("Files that are gone or have another size make an index stale; its other entries count")
    func stale() throws {
        try folder.add("Lists")
        try folder.add("Notes")
        try folder.index()
        unlink(folder.folder.path("libNotes.so"))

        #expect(
            problem()?.message
                == "The index of the repository '\(folder.path)' is stale: it lists 'libNotes.so', which can't be "
                + "found.")
        #expect(folder.catalog().names == ["Lists"])
    }

    @Test("A library that differs from the index, or leads out of the folder, is refused by name")
    func libraries() throws {
        try folder.add("Notes")
        try folder.index()
        let offer = try #require(folder.catalog().newest("Notes"))
        let bytes = contents(folder.folder.path("libNotes.so"))
        func refusal() -> String? {
            let error = #expect(throws: RepositoryError.self) { try folder.repository.library(offer, nil) }
            return error?.message
        }
        #expect(try folder.repository.library(offer, nil).bytes == bytes)

        try folder.add("Notes", padding: [1])
        #expect(
            refusal()
                == "Module 'Notes' 1.0.0 was not installed: '\(folder.path)/libNotes.so' differs from the library "
                + "that the index lists.")

        let other = TemporaryFolder()
        unlink(folder.folder.path("libNotes.so"))
        symlink(other.write(bytes, to: "libNotes.so"), folder.folder.path("libNotes.so"))
        #expect(
            refusal()
                == "Module 'Notes' 1.0.0 was not installed: '\(folder.path)/libNotes.so' is a link that leads out "
                + "of the repository.")
    }

    @Test("A contract within the range comes with a library, replaces none, and goes with the library")
    @MainActor
    func contracts() async throws {
        let data = TemporaryFolder()
        let repositories = Repositories(folders: [folder.path], libraries: data.path("libraries"))
        let reader = ModuleReader(searchPaths: [], store: ModuleStore(folder: data.path("store")))
        @discardableResult
        func writeContract(_ version: String) throws -> [UInt8] {
            let json = #"{"name":"Payments","version":"\#(version)","summary":"Payments"}"#
            let manifest = try ContractManifest.stamped(Array(json.utf8), file: "", compiler: "6.2")
            let image = ELFImage(
                machine: try SystemLibrary.machine(), [(".atrium.contract", Array(manifest.utf8))])
            folder.folder.write(image.bytes, to: "libPayments.so.1")
            return image.bytes
        }
        try folder.add("Notes")
        try folder.index()
        let offer = try #require(folder.catalog().newest("Notes"))
        let first = try writeContract("1.2.0")

        repositories.begin()
        let path = try await repositories.bring(offer, reader)
        for (range, comes) in [("^1.5", false), (">=1.0.0 <1.3.0", true), ("^1.0", true)] {
            let json =
                #"{"name":"Bills","version":"1.0.0","summary":"x","contracts":{"Payments":"\#(range)"}}"#
            let needed = try ContractManifest(json: Array(json.utf8), file: "", form: .authored).contracts
            try await repositories.bringContracts(needed, of: path, for: offer, reader)
            let own = Repositories.contractFolder(of: path)
            #expect(own.map { contents("\($0)/libPayments.so.1") } == (comes ? first : nil), "\(range)")
            if comes { try writeContract("1.5.0") }
        }
        repositories.end(using: [path])
        #expect(Repositories.contractFolder(of: path) != nil)
        repositories.clean(using: [])
        #expect(Repositories.contractFolder(of: path) == nil && !FileSystem.exists(path))
    }

    @Test("Of a version that two repositories have, the first one's counts")
    func order() throws {
        let other = RepositoryFolder()
        try folder.add("Notes")
        try other.add("Notes", padding: [1])
        try other.add("Notes", "1.1.0", file: "libNotes-2.so")
        try folder.index()
        try other.index()
        var catalog = folder.catalog()

        catalog.add(.success(try other.repository.index(nil)), of: other.repository)
        catalog.sort()

        #expect(catalog.offers["Notes"]?.map(\.repository) == [other.path, folder.path])
    }
}
