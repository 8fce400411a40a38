// swift-tools-version: 6.2
import PackageDescription

/// The installed SDK; another one with ATRIUM_SDK=FOLDER.
let sdk = Context.environment["ATRIUM_SDK"] ?? "__SDK__"

let package = Package(
    name: "__NAME__",
    products: [.library(name: "__NAME__", type: .dynamic, targets: ["__NAME__"])],
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: [
        .target(
            name: "__NAME__",
            exclude: ["module.json"],
            // With -enable-testing, 'swift' at the prompt can use its internal types.
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules", "-enable-testing"])],
            linkerSettings: [.unsafeFlags(["-L", sdk + "/lib", "-lAtriumKit"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")]),
        .testTarget(
            name: "__NAME__Tests",
            dependencies: ["__NAME__"],
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
