internal import AtriumManifest

/// What a library must have been built with in order to be loaded into this host.
enum Contract {
    /// Checks the stamps that the build put into the manifest.
    static func check(_ manifest: ModuleManifest) throws {
        let host = SDKVersion.current
        guard let sdk = manifest.sdk, isCompatible(sdk, with: host) else {
            throw ModuleError.otherSDK(
                manifest.name, built: manifest.sdk?.description ?? "of an unknown version",
                host: host.description)
        }
        guard manifest.inlinedLayout == SDKVersion.inlinedLayout else {
            throw ModuleError.otherLayout(
                manifest.name, built: manifest.inlinedLayout, host: SDKVersion.inlinedLayout)
        }
        guard let compiler = manifest.compiler, compiler == HostCompiler.version else {
            throw ModuleError.otherCompiler(
                manifest.name, built: manifest.compiler ?? "of an unknown version", host: HostCompiler.version
            )
        }
    }

    /// Whether a library built against `sdk` works with `host`: before 1.0.0 a minor version may break it.
    private static func isCompatible(_ sdk: SemanticVersion, with host: SemanticVersion) -> Bool {
        sdk.major == host.major && (sdk.major > 0 || sdk.minor == host.minor) && sdk <= host
    }

    /// Checks that this host's AtriumKit has what the library needs of it; none of the library's code runs.
    ///
    /// The loader would refuse the library as well, by the first of its mangled names that nobody has. What
    /// other libraries lack is left to it.
    ///
    /// - Parameters:
    ///   - library: The copy that is going to be loaded.
    ///   - name: The module's name, for the message.
    /// - Throws: ``ModuleError`` that names what is missing, or tells that the library's tables are damaged.
    static func checkSymbols(of library: ELFFile, _ name: String) throws {
        let missing = missingDeclarations(try library.undefinedSymbols())
        guard missing.isEmpty else {
            throw ModuleError.missingDeclarations(name, missing, host: SDKVersion.current.description)
        }
    }

    /// The declarations of AtriumKit that these symbols belong to and this process does not have, by name.
    ///
    /// Of a type that is missing, the members are not told.
    static func missingDeclarations(_ symbols: [String]) -> [KitDeclaration] {
        // The loader answers faster than a name is looked through.
        let declarations = symbols.lazy
            .filter { !LoadedSymbols.contains($0) && $0.contains("9AtriumKit") }
            .compactMap(LoadedSymbols.demangled)
            .compactMap(KitDeclaration.init)
        let missing = Set(declarations)
        let types = Set(missing.filter(\.isType).map(\.name))
        return missing.filter { !$0.isPart(ofAny: types) }.sorted { $0.description < $1.description }
    }
}
