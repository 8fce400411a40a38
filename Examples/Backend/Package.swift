// swift-tools-version: 6.2
import PackageDescription

/// A feature module over a conventional REST backend (see server/), in a package of its own.
let package = Package(
    name: "Backend",
    products: [.library(name: "Notes", type: .dynamic, targets: ["Notes"])],
    dependencies: [.package(path: "../../Sources/AtriumKit")],
    targets: [
        .target(
            name: "Notes",
            dependencies: [.product(name: "AtriumKit", package: "AtriumKit")],
            exclude: ["module.json"],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
    ],
    swiftLanguageModes: [.v6]
)
