// swift-tools-version: 6.2
import PackageDescription

/// The SDK of the checkout ('make sdk'); an installed one with ATRIUM_SDK=/usr/local/share/atrium/sdk.
let sdk = Context.environment["ATRIUM_SDK"] ?? Context.packageDirectory + "/../../.build/sdk"

/// A lending library made of three records, in a package of its own.
let package = Package(
    name: "Library",
    products: [.library(name: "Library", type: .dynamic, targets: ["Library"])],
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: [
        .target(
            name: "Library",
            exclude: ["module.json"],
            // With -enable-testing, 'swift' at the prompt can use its internal types.
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules", "-enable-testing"])],
            linkerSettings: [.unsafeFlags(["-L", sdk + "/lib", "-lAtriumKit"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")]),
        .testTarget(
            name: "LibraryTests",
            dependencies: ["Library"],
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules"])],
            linkerSettings: [
                .unsafeFlags([
                    "-L", sdk + "/lib", "-lAtriumKit", "-lAtriumTesting", "-Xlinker", "-rpath", "-Xlinker",
                    sdk + "/lib",
                ])
            ]),
    ],
    swiftLanguageModes: [.v6]
)
