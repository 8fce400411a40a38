/// The Swift file that every module is compiled with: its manifest and its entry.
struct ModuleEntrySource {
    /// The class that conforms to `FeatureModule`.
    let entry: String

    /// The JSON to embed.
    let manifest: String

    /// How many bytes stand on a line.
    private static let bytesPerLine = 16

    /// The text of the file.
    ///
    /// The entry hands over an `any FeatureModule` made inside the module, because the host would have to
    /// search for the conformance otherwise. The parameter is marked as unsafe because a raw pointer is not
    /// `Sendable`; the host calls the entry on the main actor, so it never leaves it.
    var text: String {
        """
        // Generated from module.json by the plugin EmbedManifest; changes are lost with the next build.

        import AtriumKit

        /// The manifest of the module, which the host reads from the library without running its code.
        @used @section(".atrium.manifest")
        private let atriumManifest: InlineArray<\(manifest.utf8.count), UInt8> = [
        \(bytes)
        ]

        /// Makes the module; the host calls this on the main thread.
        ///
        /// - Parameter result: Where the module is stored; the memory of an `(any FeatureModule)?` that holds
        ///   `nil`.
        @c(atrium_module_create)
        public nonisolated func atriumModuleCreate(_ result: UnsafeMutableRawPointer) {
            // The closure runs before the function returns, so the pointer is never used from two threads.
            nonisolated(unsafe) let result = result
            MainActor.assumeIsolated {
                result.assumingMemoryBound(to: (any FeatureModule)?.self).pointee = \(entry)()
            }
        }

        """
    }

    private var bytes: String {
        let bytes = Array(manifest.utf8)
        return stride(from: 0, to: bytes.count, by: Self.bytesPerLine)
            .map { start in
                let line = bytes[start..<min(start + Self.bytesPerLine, bytes.count)]
                return "    " + line.map { "\($0)," }.joined(separator: " ")
            }
            .joined(separator: "\n")
    }
}
