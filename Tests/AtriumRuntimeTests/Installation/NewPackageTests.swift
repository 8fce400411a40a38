import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

@Suite("Packages for new modules")
struct NewPackageTests {
    private let folder = TemporaryFolder()

    init() {
        for path in [
            "sdk", "sdk/Templates", "sdk/Templates/minimal", "sdk/Templates/minimal/__NAME__", "here",
        ] {
            mkdir(folder.path(path), 0o700)
        }
        folder.write(
            "name __NAME__, link __LINK__, \"__SDK__\"".utf8, to: "sdk/Templates/minimal/Package.swift")
        folder.write("view".utf8, to: "sdk/Templates/minimal/__NAME__/__NAME__View.swift")
    }

    private func make(
        _ name: String, template: String = "minimal", in parent: String = "here", taken: [String] = []
    ) throws -> NewPackage {
        try NewPackage.make(
            name, template: template, in: folder.path(parent), sdk: folder.path("sdk"), taken: taken)
    }

    private func refusal(_ body: () throws -> NewPackage) throws -> NewPackageError {
        let error = try #require(#expect(throws: NewPackageError.self) { _ = try body() })
        #expect(folder.names(in: "here").isEmpty, "Something was left.")
        #expect(error.category == .usage)
        return error
    }

    @Test(
        "Names of files and their contents have the module's name, its link and the SDK",
        arguments: [("Notes", "notes"), ("MyNotes2Go", "my-notes2-go"), ("URLs", "urls")])
    func filled(_ name: String, _ link: String) throws {
        let package = try make(name)

        #expect(package.folder == folder.path("here/\(name)"))
        let text = String(decoding: contents(folder.path("here/\(name)/Package.swift")), as: UTF8.self)
        #expect(text == "name \(name), link \(link), \"\(folder.path("sdk"))\"")
        #expect(folder.names(in: "here/\(name)/\(name)") == ["\(name)View.swift"])
        #expect(folder.names(in: "here") == [name])
    }

    @Test("A path with quotes is a valid string in Swift and JSON")
    func quotedPath() throws {
        rename(folder.path("sdk"), folder.path(#"a "b" \c"#))

        _ = try NewPackage.make(
            "Notes", template: "minimal", in: folder.path("here"), sdk: folder.path(#"a "b" \c"#))

        let text = String(decoding: contents(folder.path("here/Notes/Package.swift")), as: UTF8.self)
        #expect(text.hasSuffix(#"/a \"b\" \\c""#))
    }

    @Test(
        "A name that no module can have is refused",
        arguments: [
            "notes", "My Notes", "Größe", "../Up", "", "A" + String(repeating: "b", count: 64), "Self",
            "Testing",
        ])
    func badName(_ name: String) throws {
        let error = try refusal { try make(name) }

        #expect(error.code == "badName")
        #expect(error.hint != nil)
    }

    @Test("A name that another module has is refused")
    func takenName() throws {
        let error = try refusal { try make("Session", taken: ["Entities", "Session"]) }

        #expect(error.message == "There is a module 'Session' already.")
    }

    @Test(
        "An unknown template is refused, with those that there are",
        arguments: ["crud", "", "..", "../Templates/minimal"])
    func noTemplate(_ template: String) throws {
        let error = try refusal { try make("Notes", template: template) }

        #expect(error.code == "noTemplate")
        #expect(error.hint == "It has minimal.")
    }

    @Test("What is there stays as it is", arguments: ["folder", "file", "link"])
    func exists(_ kind: String) throws {
        switch kind {
        case "folder": mkdir(folder.path("here/Notes"), 0o700)
        case "file": folder.write("mine".utf8, to: "here/Notes")
        default: symlink("/nowhere", folder.path("here/Notes"))
        }

        let error = #expect(throws: NewPackageError.self) { try make("Notes") }

        #expect(error?.code == "alreadyThere")
        #expect(folder.names(in: "here") == ["Notes"])
        #expect(folder.names(in: "here/Notes").isEmpty)
        #expect(contents(folder.path("here/Notes")) == (kind == "file" ? Array("mine".utf8) : []))
    }

    @Test(
        "If a file can't be written, nothing is left",
        arguments: ["nowhere", "sdk/Templates/minimal/Package.swift"])
    func unwritable(_ parent: String) throws {
        let error = try refusal { try make("Notes", in: parent) }

        #expect(error.code == "fileUnwritable")
        #expect(folder.names() == ["here", "sdk"])
    }

    @Test("A host without an SDK says how to get one")
    func noSDK() throws {
        let error = try refusal {
            try NewPackage.make("Notes", template: "minimal", in: folder.path("here"), sdk: nil)
        }

        #expect(error.hint == "Name one with ATRIUM_SDK=FOLDER, or make it in a checkout: make sdk")
    }
}

@Suite("Where a host is installed")
struct InstallationTests {
    private let folder = TemporaryFolder()

    private func add(_ files: String...) {
        for file in files {
            var parts = file.split(separator: "/").dropLast()[...]
            var path = ""
            while let part = parts.popFirst() {
                path += path.isEmpty ? part : "/\(part)"
                mkdir(folder.path(path), 0o700)
            }
            folder.write([], to: file)
        }
    }

    @Test("An installed host finds its parts below its prefix")
    func installed() {
        add("bin/atrium", "share/atrium/modules.json", "share/atrium/sdk/Package.swift")

        let found = Installation(executable: folder.path("bin/atrium"))

        #expect(found.prefix == folder.path)
        #expect(found.modules == folder.path("lib/atrium/modules"))
        #expect(found.configuration == folder.path("share/atrium/modules.json"))
        #expect(found.sdk == folder.path("share/atrium/sdk"))
    }

    @Test("A built host finds its parts beside itself, and the SDK in the folder of the build")
    func built() {
        add(".build/triple/release/atrium", ".build/sdk/Package.swift", "share/atrium/modules.json")

        let found = Installation(executable: folder.path(".build/triple/release/atrium"))

        #expect(found.prefix == nil)
        #expect(found.modules == folder.path(".build/triple/release"))
        #expect(found.configuration == folder.path(".build/triple/release/modules.json"))
        #expect(found.sdk == folder.path(".build/sdk"))
    }

    @Test("Another program in a folder 'bin' is not installed, and there may be no SDK")
    func elsewhere() {
        add("bin/atrium")

        let found = Installation(executable: folder.path("bin/atrium"))

        #expect(found.prefix == nil)
        #expect(found.sdk == nil)
    }
}
