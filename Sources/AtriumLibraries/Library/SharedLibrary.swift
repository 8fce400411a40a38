package import AtriumManifest

/// A signed library, stored once in the database, by its digest.
package struct SharedLibrary: Sendable {
    package let digest: String
    package let module: String
    package let version: SemanticVersion
    package let kind: Kind
    package let bytes: [UInt8]
    package let signature: [UInt8]
    /// The folder of this host's repository that it was taken from; nil for one from the database.
    package var repository: String?
    /// The contracts that it is built on, and those that these need.
    package var contracts: [Contract] = []

    package init(
        digest: String, module: String, version: SemanticVersion, kind: Kind, bytes: [UInt8],
        signature: [UInt8]
    ) {
        (self.digest, self.module, self.version) = (digest, module, version)
        (self.kind, self.bytes, self.signature) = (kind, bytes, signature)
    }

    /// A signed contract that is stored with the library of a module.
    package struct Contract: Sendable {
        package let digest: String
        /// The name of its library, such as `libPayments.so.1`.
        package let name: String
        package let version: SemanticVersion
        package let bytes: [UInt8]
        package let signature: [UInt8]

        package init(
            digest: String, name: String, version: SemanticVersion, bytes: [UInt8], signature: [UInt8]
        ) {
            (self.digest, self.name, self.version) = (digest, name, version)
            (self.bytes, self.signature) = (bytes, signature)
        }
    }

    /// The requirements for a host to load it.
    package struct Kind: Hashable {
        /// Such as `x86_64`.
        package let machine: String
        package let sdk: SemanticVersion
        package let inlinedLayout: Int
        package let compiler: String

        package init(machine: String, sdk: SemanticVersion, inlinedLayout: Int, compiler: String) {
            (self.machine, self.sdk, self.inlinedLayout) = (machine, sdk, inlinedLayout)
            self.compiler = compiler
        }

        package var fitsThisHost: Bool {
            machine == SharedLibrary.machine
                && (try? Compatibility.check("", sdk: sdk, inlinedLayout: inlinedLayout, compiler: compiler))
                    != nil
        }
    }

    package static var machine: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }
}

extension SharedLibrary.Kind {
    /// The kind of a checked library, which fits this host; checking requires the stamps.
    package init(_ manifest: ModuleManifest) {
        self.init(
            machine: SharedLibrary.machine, sdk: manifest.sdk ?? SDKVersion.current,
            inlinedLayout: manifest.inlinedLayout ?? SDKVersion.inlinedLayout,
            compiler: manifest.compiler ?? Compatibility.compiler)
    }
}
