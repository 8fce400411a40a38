@_spi(Host) import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumStorage

/// The library of a module under test: only the module's manifest, as its class is in the test.
@MainActor
struct ModuleLibrary {
    let module: any FeatureModule.Type
    let name: String
    private let manifest: [UInt8]
    /// The number of the build; builds differ in their digests.
    private var build = 0

    /// Finds the manifest that the build embedded beside the class; for a class of the test itself one is
    /// made from its registrations, and so for a stand-in.
    init(_ module: any FeatureModule.Type) throws {
        self.module = module
        let standIn = module as? any StandInModule.Type
        let embedded = standIn == nil ? try Self.embedded(module) : nil
        manifest = try embedded ?? Self.declared(module, version: standIn?.version ?? "1.0.0")
        name = try ModuleManifest(json: manifest, file: "module.json").name
    }

    /// Writes the library, each time as another build.
    mutating func write(to folder: String) throws {
        build += 1
        let image = ELFImage([
            (ModuleLibraries.section, manifest), (".build", Array("\(build)".utf8)),
        ])
        try AtomicFile.write(image.bytes, to: "\(folder)/lib\(name).so", synchronizing: false)
    }

    // MARK: - Manifests

    /// Returns the manifest in the executable or library of the test, which has one for each module linked
    /// into it.
    private static func embedded(_ module: any FeatureModule.Type) throws -> [UInt8]? {
        let name = "\(module)"
        for file in try mappedFiles() {
            // A test's executable contains everything that it tests, with debug information.
            guard let image = try? ELFFile(RandomAccessFile(file, limit: .max)),
                let section = try? image.section(ModuleLibraries.section)
            else { continue }
            let found = objects(in: section).first {
                (try? ModuleManifest(json: $0, file: "module.json"))?.entry == name
            }
            if let found { return found }
        }
        return nil
    }

    /// Returns the folders of the executable of this process and its libraries.
    static func foldersOfLibraries() throws -> [String] {
        try mappedFiles().compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
    }

    /// Returns the executable of this process and its libraries.
    private static func mappedFiles() throws -> [String] {
        let mappings = String(decoding: try FileContents.read("/proc/self/maps"), as: UTF8.self)
        var files: [String] = []
        for line in mappings.split(separator: "\n") {
            guard let path = line.firstIndex(of: "/"), line.split(separator: " ")[1].contains("x") else {
                continue
            }
            files.append(String(line[path...]))
        }
        return files
    }

    /// Returns the JSON objects, which follow one another.
    private static func objects(in bytes: [UInt8]) -> [[UInt8]] {
        var objects: [[UInt8]] = []
        var (depth, start, isText, isEscaped) = (0, 0, false, false)
        for (index, byte) in bytes.enumerated() {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"):
                if depth == 0 { start = index }
                depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { objects.append(Array(bytes[start...index])) }
            default: break
            }
        }
        return objects
    }

    private static func declared(_ module: any FeatureModule.Type, version: String) throws -> [UInt8] {
        let entry = "\(module)"
        let name = entry.hasSuffix("Module") ? String(entry.dropLast(6)) : entry
        let nothing = RecordingLog()
        let registry = ModuleRegistry(
            scope: ModuleScope(
                name: name,
                infrastructure: ModuleScope.Infrastructure(
                    database: UnexpectedDatabase(), clock: FixedClock(), logger: nothing.logger,
                    analytics: RecordingAnalytics(), configuration: Configuration([:]))))
        try module.init().register(in: registry)
        var screens = JSONObject()
        for screen in registry.declaredScreens { screens[screen.pattern.description] = "A screen of a test" }
        var uses = JSONObject()
        for module in registry.boundTo.sorted() { uses[module] = ">=0.0.0" }
        let manifest: JSONObject = [
            "name": .string(name), "version": .string(version), "entry": .string(entry),
            "summary": "A module of a test",
            "provides": .array(registry.providedNames.sorted().map { .string($0) }),
            "screens": .object(screens), "uses": .object(uses),
            "sdk": .string(SDKVersion.current.description),
            "inlinedLayout": .string("\(SDKVersion.inlinedLayout)"),
            "compiler": .string(Compatibility.compiler),
        ]
        return Array(JSONValue.object(manifest).serialized.utf8)
    }
}
