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
        let (first, problems) = loaded()
        try first.file.save(["a": 1])
        let (second, _) = loaded()

        second.file.remove()

        #expect(first.value == nil)
        #expect(problems.isEmpty)
        #expect(second.value == ["a": 1])
        #expect(folder.names() == [])
    }

    @Test("What can't be loaded is reported and renamed, and a value can be saved in its place")
    func renamed() throws {
        let cases: [(reason: String, make: (String) -> Void)] = [
            ("it is not a regular file.", { mkfifo($0, 0o600) }),
            ("Is a directory.", { mkdir($0, 0o700) }),
            ("it is a symbolic link.", { symlink("nothing", $0) }),
            ("it is a symbolic link.", { symlink($0, $0) }),
            ("it is a symbolic link.", { symlink("/etc/hostname", $0) }),
        ]
        for (reason, make) in cases {
            make(path)

            let (state, problems) = loaded()
            let names = folder.names()
            try state.file.save(["a": 1])

            #expect(state.value == nil)
            #expect(problems == ["The file '\(path)' can't be read: \(reason)"])
            #expect(!names.contains("state.json"))
            #expect(loaded().0.value == ["a": 1])
            unlink(path)
        }
        let names = ["", "-2", "-3", "-4", "-5"].map { "state.json.damaged" + $0 }
        #expect(folder.names() == names)
    }

    @Test("Damaged files are kept, each under another name")
    func damaged() {
        folder.write("one".utf8, to: "state.json")
        let (_, problems) = loaded()
        folder.write("two".utf8, to: "state.json")
        _ = loaded()

        #expect(problems == ["'\(path)' is damaged and was not loaded."])
        #expect(folder.names() == ["state.json.damaged", "state.json.damaged-2"])
        #expect(contents(folder.path("state.json.damaged")) == Array("one".utf8))
    }

    @Test("A value that another process saved is not removed")
    func newer() throws {
        let one = loaded().0.file
        let other = loaded().0.file
        try one.save(["one": 1])
        try other.save(["other": 2])

        one.remove()
        let afterOne = loaded().0.value
        other.remove()

        #expect(afterOne == ["other": 2])
        #expect(folder.names() == [])
    }

    private typealias State = (file: StateFile, value: [String: Int]?)

    /// Loads the file as a new process would, with the problems that it reports.
    private func loaded() -> (State, problems: [String]) {
        let file = StateFile(path: path, isDurable: false)
        var problems: [String] = []
        let value = file.load([String: Int].self) { problems.append($0.message) }
        return ((file, value), problems)
    }
}
