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

    @Test("A pipe in place of the file is reported, not removed, and replaced by saving")
    func pipe() throws {
        mkfifo(path, 0o600)

        let (state, problems) = loaded()
        state.file.remove()
        let names = folder.names()
        try state.file.save(["a": 1])

        #expect(state.value == nil)
        #expect(problems == ["The file '\(path)' can't be read: it is not a regular file."])
        #expect(names == ["state.json"])
        #expect(loaded().0.value == ["a": 1])
    }

    @Test("A folder in place of the file is reported and stays")
    func directory() {
        mkdir(path, 0o700)

        let (state, problems) = loaded()
        let error = #expect(throws: FileError.self) { try state.file.save(["a": 1]) }

        #expect(problems == ["The file '\(path)' can't be read: Is a directory."])
        #expect(error?.message == "The file '\(path)' can't be written: Is a directory.")
        #expect(folder.names() == ["state.json"])
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
