// swift-tools-version: 6.2
import PackageDescription

/// A feature module in a package of its own, as somebody outside this project would write it.
let package = Package(
    name: "Catalog",
    products: [.library(name: "Catalog", type: .dynamic, targets: ["Catalog"])],
    dependencies: [.package(path: "../../Sources/AtriumKit")],
    targets: [
        .target(
            name: "Catalog",
            dependencies: [.product(name: "AtriumKit", package: "AtriumKit")],
            exclude: ["module.json"],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
    ],
    swiftLanguageModes: [.v6]
)
