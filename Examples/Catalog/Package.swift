// swift-tools-version: 6.2
import PackageDescription

/// The SDK of the checkout ('make sdk'); an installed one with ATRIUM_SDK=/usr/local/share/atrium/sdk.
let sdk = Context.environment["ATRIUM_SDK"] ?? Context.packageDirectory + "/../../.build/sdk"

/// A feature module in a package of its own, as somebody outside this project would write it.
let package = Package(
    name: "Catalog",
    products: [.library(name: "Catalog", type: .dynamic, targets: ["Catalog"])],
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: [
        .target(
            name: "Catalog",
            exclude: ["module.json"],
            // With -enable-testing, 'swift' at the prompt can use its internal types.
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules", "-enable-testing"])],
            linkerSettings: [.unsafeFlags(["-L", sdk + "/lib", "-lAtriumKit"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")]),
        .testTarget(
            name: "CatalogTests",
            dependencies: ["Catalog"],
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
