@_spi(Host) import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("The host's configuration file")
struct ConfigurationFileTests {
    private let folder = TemporaryFolder()

    private func refusal(_ path: String) -> ConfigurationError? {
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.find(path) }
        #expect(error?.category == .usage)
        return error
    }

    @Test("Relative paths are resolved against the file's folder; absolute ones are unchanged")
    func paths() throws {
        let json = """
            {"environment": "mock", "searchPaths": ["build", "/opt/modules"], "data": "state",
             "modules": [{"name": "Session", "path": "libs/s.so"}, {"name": "Home", "path": "/h.so"}, {"name": "Entities"}]}
            """
        let path = folder.write(json.utf8, to: "modules.json")

        let file = try ConfigurationFile.find(path)

        #expect(file.path == path)
        #expect(file.host.environment == "mock")
        #expect(file.searchPaths == [folder.path("build"), "/opt/modules"])
        #expect(file.dataFolder == folder.path("state"))
        #expect(file.modules.map(\.name) == ["Session", "Home", "Entities"])
        #expect(file.modules.map(\.path) == [folder.path("libs/s.so"), "/h.so", nil])
    }

    @Test("By default libraries are searched beside the executable, and there is no data folder")
    func defaults() throws {
        let file = try ConfigurationFile.find(folder.write(#"{"modules": []}"#.utf8, to: "modules.json"))

        #expect(file.searchPaths == [FileSystem.folder(of: HostExecutable.path)])
        #expect(file.dataFolder == nil)
        #expect(file.modules.isEmpty)
    }

    @Test("A path relative to the working folder is found, and its paths become absolute")
    func relativePath() throws {
        folder.write(#"{"modules": [], "data": "state"}"#.utf8, to: "modules.json")
        let up = String(repeating: "../", count: 40)

        let file = try ConfigurationFile.find(up + folder.path("modules.json").dropFirst())

        #expect(file.path.hasPrefix("/"))
        #expect(file.dataFolder?.hasSuffix("\(folder.path.dropFirst())/state") == true)
        #expect(file.dataFolder?.hasPrefix("/") == true)
    }

    @Test("A missing file is reported")
    func missing() {
        let error = refusal(folder.path("none.json"))

        #expect(error?.code == "configurationMissing")
        #expect(error?.message == "There is no configuration file '\(folder.path("none.json"))'.")
        #expect(error?.hint == "Correct the path behind --config.")
    }

    @Test("Without a path, the working folder and the executable's folder are searched")
    func nothingFound() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            chdir(folder.path)
            let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.find(nil) }
            #expect(
                error?.message
                    == "There is no configuration file 'modules.json' or '\(FileSystem.folder(of: HostExecutable.path))/modules.json'."
            )
            #expect(
                error?.hint == "Start in the folder of modules.json, or name it with --config FILE.")

            folder.write(#"{"modules": []}"#.utf8, to: "modules.json")
            #expect((try? ConfigurationFile.find(nil))?.path == folder.path("modules.json"))
            chdir("/")
        }
    }

    @Test(
        "A link to itself or to nothing in the working folder is told, and no other file is used",
        arguments: ["modules.json", "nothing"])
    func links(target: String) async {
        await #expect(processExitsWith: .success) { [target] in
            let folder = TemporaryFolder()
            chdir(folder.path)
            symlink(target, "modules.json")

            let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.find(nil) }

            #expect(error?.code == "configurationUnreadable")
            let reason =
                target == "nothing" ? "No such file or directory" : "Too many levels of symbolic links"
            #expect(error?.message == "The file '\(folder.path)/modules.json' can't be read: \(reason).")
            chdir("/")
        }
    }

    @Test(
        "A file of another user in the working folder is used only if it is named",
        .enabled(if: geteuid() == 0, "Only root can give a file away."), arguments: [false, true])
    func foreign(isBehindLink: Bool) async {
        await #expect(processExitsWith: .success) { [isBehindLink] in
            let folder = TemporaryFolder()
            chdir(folder.path)
            folder.write(#"{"modules": []}"#.utf8, to: isBehindLink ? "theirs" : "modules.json")
            chown(isBehindLink ? "theirs" : "modules.json", 1001, 1001)
            if isBehindLink { symlink("theirs", "modules.json") }

            let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.find(nil) }

            #expect(error?.code == "configurationForeign")
            #expect(
                error?.message
                    == "The file 'modules.json' in this folder belongs to user 1001. It says which libraries are "
                    + "loaded and where passwords are sent, so it was not used.")
            #expect(error?.hint == "Read it; if you trust it, name it: --config modules.json")
            #expect(throws: Never.self) { try ConfigurationFile.find("modules.json") }
            chdir("/")
        }
    }

    @Test("An unreadable file is reported with the system's reason")
    func unreadable() {
        let error = refusal(folder.path)

        #expect(error?.code == "configurationUnreadable")
        #expect(error?.message == "The file '\(folder.path)' can't be read: Is a directory.")
        #expect(error?.hint == "Name a file that you can read with --config FILE.")
    }

    @Test("All errors are reported, each with its line and key")
    func invalid() {
        let path = folder.write(#"{"environment": "lokal", "modules": [{}]}"#.utf8, to: "modules.json")

        let error = refusal(path)

        #expect(error?.code == "configurationInvalid")
        #expect(
            error?.message.hasPrefix("The configuration is invalid: line 1, environment: ") == true,
            "\(error?.message ?? "")")
        #expect(error?.message.contains("line 1, modules[0]") == true, "\(error?.message ?? "")")
        #expect(
            error?.hint
                == "Correct '\(path)'. The documentation page 'Configuration' describes its keys."
        )
    }
}
