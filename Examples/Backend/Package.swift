// swift-tools-version: 6.2
import PackageDescription

/// The SDK of the checkout ('make sdk'); an installed one with ATRIUM_SDK=/usr/local/share/atrium/sdk.
let sdk = Context.environment["ATRIUM_SDK"] ?? Context.packageDirectory + "/../../.build/sdk"

/// A feature module over a conventional REST backend (see server/), in a package of its own.
let package = Package(
    name: "Backend",
    products: [.library(name: "Notes", type: .dynamic, targets: ["Notes"])],
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: [
        .target(
            name: "Notes",
            exclude: ["module.json"],
            // With -enable-testing, 'swift' at the prompt can use its internal types.
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules", "-enable-testing"])],
            linkerSettings: [.unsafeFlags(["-L", sdk + "/lib", "-lAtriumKit"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
    ],
    swiftLanguageModes: [.v6]
)
