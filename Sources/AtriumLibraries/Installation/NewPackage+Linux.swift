@_spi(Host) package import AtriumKit
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// A package for a new module, made from a template of the SDK.
package struct NewPackage: Sendable {
    package let name: String
    package let folder: String
    /// Its path as a user types it in a shell.
    package let path: String
    package let isContract: Bool

    /// Creates a package, completely or not at all, and replaces nothing.
    ///
    /// - Parameters:
    ///   - name: The module's name, as in `module.json`.
    ///   - template: A folder of the SDK's `Templates`.
    ///   - parent: The folder in which the package's folder is created.
    ///   - sdk: The SDK that the package is built with; nil if there is none.
    ///   - taken: The modules whose names and links are already taken.
    /// - Returns: The package's location.
    /// - Throws: ``NewPackageError`` with a next step.
    package static func make(
        _ name: String, template: String, in parent: String, sdk: String?, taken: [ModuleManifest] = []
    ) throws -> NewPackage {
        guard let sdk else { throw NewPackageError.noSDK }
        try check(name, taken)
        let template = try PackageTemplate(template, in: sdk)
        if template.hasScreens { try checkLink(of: name, taken) }
        let folder = FileSystem.normalized(FileSystem.absolute("\(parent)/\(name)"))
        guard FileSystem.linkTarget(folder) == nil, !FileSystem.exists(folder) else {
            throw NewPackageError.exists(folder)
        }
        let files = try template.files(for: name)
        let unfinished = "\(folder).new-\(getpid())"
        do {
            try write(files, to: unfinished)
            guard rename(unfinished, folder) == 0 else { throw NewPackageError.unwritable(folder, errno) }
        } catch {
            FileSystem.remove(unfinished)
            throw error
        }
        let path = parent == "." ? name : "\(parent)/\(name)"
        return NewPackage(
            name: name, folder: folder, path: ShellWord.quoted(path), isContract: template.isContract)
    }

    private static func check(_ name: String, _ taken: [ModuleManifest]) throws {
        guard TextFormat.moduleName.accepts(name) else {
            throw NewPackageError(
                "badName", TextFormat.moduleName.refusal(of: name), hint: "atrium new Notes")
        }
        guard !reserved.contains(name) else {
            throw NewPackageError(
                "badName", "'\(name)' is a name of Swift or of the SDK; a module can't have it.",
                hint: "Choose another name.")
        }
        guard !taken.contains(where: { $0.name == name }) else {
            throw NewPackageError(
                "badName", "There is a module '\(name)' already.", hint: "Choose another name.")
        }
    }

    /// Checks that the link of the first screen is free.
    private static func checkLink(of name: String, _ taken: [ModuleManifest]) throws {
        let link = PackageTemplate.link(of: name)
        guard !ActionNames.hostCommands.contains(link), !hostLinks.contains(link) else {
            throw NewPackageError.linkTaken(name, link, "it is the host's")
        }
        for module in taken
        where module.screens.contains(where: { $0.pattern.split(separator: "/").first == link[...] }) {
            throw NewPackageError.linkTaken(name, link, "it belongs to module '\(module.name)'")
        }
    }

    private static let hostLinks: Set<String> = ["alert", "home"]

    /// Names that a target can't have: capitalized Swift keywords, the modules that it may import, and the
    /// SDK's other targets.
    private static let reserved: Set<String> = [
        "Any", "Protocol", "Self", "Type", "ArchitectureTool", "AtriumKit", "AtriumTesting",
        "CheckArchitecture", "Dispatch", "EmbedManifest", "Foundation", "FoundationEssentials", "Glibc",
        "ManifestTool", "Observation", "Swift", "Synchronization", "Testing", "XCTest",
    ]

    private static func write(_ files: [String: String], to folder: String) throws {
        guard mkdir(folder, 0o777) == 0 else { throw NewPackageError.unwritable(folder, errno) }
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            let file = "\(folder)/\(path)"
            do throws(SystemError) {
                try Folder.create(FileSystem.folder(of: file), mode: 0o777)
                let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                guard descriptor >= 0 else { throw .current }
                defer { close(descriptor) }
                try FileContents.write(Array(text.utf8), to: descriptor)
            } catch {
                throw NewPackageError.unwritable(file, error.number)
            }
        }
    }
}

/// A failure to create a package.
package struct NewPackageError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package var category: ErrorCategory { .usage }

    fileprivate init(_ code: ErrorCode, _ message: String, hint: String?) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    package static let noSDK = NewPackageError(
        "noSDK", "This host has no SDK beside it.",
        hint: "Name one with ATRIUM_SDK=FOLDER, or make it in a checkout: make sdk")

    static func noTemplate(_ name: String, _ known: [String], _ sdk: String) -> NewPackageError {
        NewPackageError(
            "noTemplate", "The SDK '\(sdk)' has no template '\(name)'.",
            hint: known.isEmpty ? "Install it again." : "It has \(known.joined(separator: ", ")).")
    }

    /// A module of this name would have two types with the same name.
    static func ambiguous(_ name: String, _ type: String, _ owner: String) -> NewPackageError {
        NewPackageError(
            "badName", "A module '\(name)' would have a type '\(type)', which \(owner) has too.",
            hint: "Choose another name.")
    }

    fileprivate static func linkTaken(_ name: String, _ link: String, _ reason: String) -> NewPackageError {
        NewPackageError(
            "badName", "A module '\(name)' can't have the link '\(link)': \(reason).",
            hint: "Choose another name.")
    }

    fileprivate static func exists(_ folder: String) -> NewPackageError {
        NewPackageError(
            "alreadyThere", "'\(folder)' is there already; nothing was changed.",
            hint: "Choose another name, or another folder with --path DIR.")
    }

    fileprivate static func unwritable(_ path: String, _ number: CInt) -> NewPackageError {
        NewPackageError(
            "fileUnwritable", "'\(path)' can't be written: \(SystemError(number: number).reason).",
            hint: "Choose a folder that you can write to with --path DIR.")
    }
}
