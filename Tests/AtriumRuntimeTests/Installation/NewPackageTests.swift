import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Packages for new modules")
struct NewPackageTests {
    private let folder = TemporaryFolder()

    init() {
        for path in [
            "sdk", "sdk/Templates", "sdk/Templates/Common", "sdk/Templates/minimal",
            "sdk/Templates/minimal/__NAME__", "sdk/Templates/bare", "sdk/modules",
            "sdk/modules/AtriumKit.swiftmodule", "here",
        ] {
            mkdir(folder.path(path), 0o700)
        }
        folder.write("# __NAME__\n\n__MORE__\nEnd\n".utf8, to: "sdk/Templates/Common/README.md")
        folder.write("common".utf8, to: "sdk/Templates/Common/.gitignore")
        folder.write(
            "name __NAME__, link __LINK__, \"__SDK__\"".utf8, to: "sdk/Templates/minimal/Package.swift")
        folder.write("All of __NAME__.\n".utf8, to: "sdk/Templates/minimal/README.md")
        folder.write(
            "struct __NAME__View: View {\n    struct Feature {}\n}\n\nprivate final class LampView {}\n".utf8,
            to: "sdk/Templates/minimal/__NAME__/__NAME__View.swift")
        folder.write("struct __NAME__View {}\n".utf8, to: "sdk/Templates/bare/View.swift")
        folder.write(
            "@_Concurrency.MainActor @preconcurrency public protocol ModelView : AnyObject {\n".utf8,
            to: "sdk/modules/AtriumKit.swiftmodule/x86_64.swiftinterface")
    }

    private func make(
        _ name: String, template: String = "minimal", in parent: String = "here",
        taken: [ModuleManifest] = []
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
        arguments: [
            ("Notes", "notes"), ("MyNotes2Go", "my-notes2-go"), ("URLs", "urls"), ("URLThing", "url-thing"),
            ("A", "a"),
        ])
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
            "Testing", "EmbedManifest",
        ])
    func badName(_ name: String) throws {
        let error = try refusal { try make(name) }

        #expect(error.code == "badName")
        #expect(error.hint != nil)
    }

    @Test("A package has the files of all templates and those of its own, joined where both have one")
    func common() throws {
        _ = try make("Notes")

        #expect(folder.names(in: "here/Notes") == [".gitignore", "Notes", "Package.swift", "README.md"])
        let text = String(decoding: contents(folder.path("here/Notes/README.md")), as: UTF8.self)
        #expect(text == "# Notes\n\nAll of Notes.\nEnd\n")
    }

    private func manifest(_ name: String, _ pattern: String) throws -> ModuleManifest {
        try ModuleManifest(
            json: Array(
                """
                {
                  "name": "\(name)", "version": "1.0.0", "entry": "Entry", "summary": "A module",
                  "sdk": "1.0.0", "compiler": "6.3", "screens": { "\(pattern)": "A screen" }
                }
                """.utf8), file: "module.json")
    }

    @Test("A name that another module has is refused")
    func takenName() throws {
        let session = try manifest("Session", "sign-in")

        let error = try refusal { try make("Session", taken: [session]) }

        #expect(error.message == "There is a module 'Session' already.")
    }

    @Test("A name whose link opens something else is refused, unless the template has no screens")
    func takenLink() throws {
        let profile = try manifest("UserProfile", "users/:id")

        let ofModule = try refusal { try make("Users", taken: [profile]) }
        let ofHost = try ["Exit", "Modules", "Home"].map { name in try refusal { try make(name) } }
        _ = try make("Users", template: "bare", taken: [profile])

        #expect(
            ofModule.message
                == "A module 'Users' can't have the link 'users': it belongs to module 'UserProfile'.")
        #expect(ofHost[1].message == "A module 'Modules' can't have the link 'modules': it is the host's.")
    }

    @Test("A name that would give two types the same name is refused")
    func ambiguous() throws {
        let template = try refusal { try make("Lamp") }
        let sdk = try refusal { try make("Model") }
        _ = try make("Feature")

        #expect(
            template.message
                == "A module 'Lamp' would have a type 'LampView', which the template 'minimal' has too.")
        #expect(sdk.message == "A module 'Model' would have a type 'ModelView', which the SDK has too.")
    }

    @Test(
        "An unknown template is refused, with those that there are",
        arguments: ["crud", "", "..", "../Templates/minimal", "Common"])
    func noTemplate(_ template: String) throws {
        let error = try refusal { try make("Notes", template: template) }

        #expect(error.code == "noTemplate")
        #expect(error.hint == "It has bare, minimal.")
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
