import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct StateFileTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path("state.json") }

    @Test("A saved value is loaded by the next process; removing deletes the file")
    func keeps() throws {
        let (first, problems) = try loaded()
        try first.file.save(["a": 1])
        let (second, _) = try loaded()

        try second.file.remove()

        #expect(first.value == nil)
        #expect(problems.isEmpty)
        #expect(second.value == ["a": 1])
        #expect(folder.names() == [])
    }

    @Test("Something else in the place of a file is not read, and stays")
    func otherKind() throws {
        let cases: [(reason: String, make: (String) -> Void)] = [
            ("it is not a regular file", { mkfifo($0, 0o600) }),
            ("Is a directory", { mkdir($0, 0o700) }),
            ("it is a symbolic link", { symlink("nothing", $0) }),
            ("it is a symbolic link", { symlink($0, $0) }),
            ("it is a symbolic link", { symlink("/etc/hostname", $0) }),
        ]
        for (reason, make) in cases {
            make(path)

            let error = #expect(throws: StorageError.self) { try loaded() }

            #expect(error?.code == .stateUnreadable)
            #expect(error?.message == "The file '\(path)' can't be read: \(reason). It was not changed.")
            #expect(error?.hint == "Move it away to start without it.")
            #expect(folder.names() == ["state.json"])
            unlink(path)
            rmdir(path)
        }
    }

    @Test("Damaged files are kept, each under another name")
    func damaged() throws {
        folder.write("one".utf8, to: "state.json")
        let (_, problems) = try loaded()
        folder.write("two".utf8, to: "state.json")
        _ = try loaded()

        #expect(problems == ["'\(path)' is damaged and was not loaded: it is not valid JSON."])
        #expect(folder.names() == ["state.json.damaged", "state.json.damaged-2"])
        #expect(contents(folder.path("state.json.damaged")) == Array("one".utf8))
    }

    @Test("A value that another process saved is not removed")
    func newer() throws {
        let one = try loaded().0.file
        let other = try loaded().0.file
        try one.save(["one": 1])
        try other.save(["other": 2])

        try one.remove()
        let afterOne = try loaded().0.value
        try other.remove()

        #expect(afterOne == ["other": 2])
        #expect(folder.names() == [])
    }

    // MARK: - What can't be read now

    @Test(
        "A file that can't be read is no damage: the error says what to do, and nothing is renamed",
        arguments: [
            ("/proc/self/mem", "Input/output error", "Check the disk"),
            ("FOLDER/state.json/below", "Not a directory", "Try again"),
            ("FOLDER/" + String(repeating: "n", count: 300), "File name too long", "Try again"),
            ("FOLDER/large", "it is larger than the host allows", "Move it away"),
        ])
    func unreadable(_ path: String, reason: String, step: String) throws {
        folder.write("{}".utf8, to: "state.json")
        folder.write([], to: "large")
        truncate(folder.path("large"), 10_000_000_000)
        let path = path.replacing("FOLDER", with: folder.path)
        let file = StateFile(path: path, isDurable: false)

        let error = #expect(throws: StorageError.self) { try file.load([String: Int].self) { _ in } }

        #expect(error?.code == .stateUnreadable)
        #expect(error?.category == .usage)
        #expect(error?.message == "The file '\(path)' can't be read: \(reason). It was not changed.")
        #expect(error?.hint?.hasPrefix(step) == true)
        #expect(folder.names() == ["large", "state.json"])
    }

    @Test("Without descriptors a file is neither loaded nor renamed nor removed")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let file = StateFile(path: folder.path("state.json"), isDurable: false)
            try file.save(["a": 1])
            var former = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former)
            var none = rlimit(rlim_cur: 3, rlim_max: former.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)

            let unloaded = #expect(throws: StorageError.self) { try file.load([String: Int].self) { _ in } }
            let unremoved = #expect(throws: StorageError.self) { try file.remove() }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former)

            precondition(unloaded?.hint?.contains("ulimit -n") == true)
            precondition(unremoved?.code == .fileUnreadable)
            precondition(folder.names() == ["state.json"])
            let kept = try file.load([String: Int].self) { _ in }
            precondition(kept == ["a": 1])
        }
    }

    // MARK: - What would not be read again

    @Test(
        "A value is written exactly as long as it is read again; else the former one stays", arguments: -2...2
    )
    func limit(_ difference: Int) throws {
        let text = String(repeating: "x", count: 90)
        // {"a":"…"} is eight bytes longer.
        let file = StateFile(path: path, isDurable: false, limit: 98 + difference)
        try file.save(["a": "former"])

        var code: ErrorCode?
        do { try file.save(["a": text]) } catch { code = (error as? StorageError)?.code }
        let again = StateFile(path: path, isDurable: false, limit: 98 + difference)

        let kept = try again.load([String: String].self) { Issue.record("\($0)") }
        #expect(kept == ["a": difference < 0 ? "former" : text])
        #expect(code == (difference < 0 ? "stateTooLarge" : nil))
    }

    @Test("Only the value that is too large keeps its former one; the others are written")
    func reduces() throws {
        let file = StateFile(path: path, isDurable: false, limit: 60)
        try file.save(["large": "former", "small": "former"])
        var excesses: [Int] = []

        try file.save(["large": String(repeating: "x", count: 60), "small": "new"]) { value, former, excess in
            excesses.append(excess)
            return value.merging(["large": former?["large"] ?? ""]) { $1 }
        }

        #expect(excesses == [26])
        let kept = try StateFile(path: path, isDurable: false).load([String: String].self) { _ in }
        #expect(kept == ["large": "former", "small": "new"])
    }

    private typealias State = (file: StateFile, value: [String: Int]?)

    /// Loads the file as a new process would, with the problems that it reports.
    private func loaded() throws -> (State, problems: [String]) {
        let file = StateFile(path: path, isDurable: false)
        var problems: [String] = []
        let value = try file.load([String: Int].self) { problems.append($0.message) }
        return ((file, value), problems)
    }
}
