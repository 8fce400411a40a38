// swift-tools-version: 6.2
import PackageDescription

/// The installed SDK; another one with ATRIUM_SDK=FOLDER.
let sdk = Context.environment["ATRIUM_SDK"] ?? "__SDK__"

/// Raise it, and the version in contract.json, with a change that breaks what is built on the contract.
let major = 1

let package = Package(
    name: "__NAME__",
    products: [.library(name: "__NAME__", type: .dynamic, targets: ["__NAME__"])],
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: [
        .target(
            name: "__NAME__",
            exclude: ["contract.json"],
            swiftSettings: [.unsafeFlags(["-enable-library-evolution", "-emit-module-interface"])],
            linkerSettings: [.unsafeFlags(["-Xlinker", "-soname=lib__NAME__.so.\(major)"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
    ],
    swiftLanguageModes: [.v6]
)
