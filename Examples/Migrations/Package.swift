// swift-tools-version: 6.2
import PackageDescription

/// The migrations of the README, each as the module before, the module after, and the latter under a second name.
///
/// A module of your own has a package of its own; these are in one, so that they are built at once.
let pairs = [
    "ViewModel": "1-view-model", "Service": "2-service", "Protocol": "3-protocol", "Actor": "4-actor",
]

/// The SDK of the checkout ('make sdk'); an installed one with ATRIUM_SDK=/usr/local/share/atrium/sdk.
let sdk = Context.environment["ATRIUM_SDK"] ?? Context.packageDirectory + "/../../.build/sdk"

let modules: [Target] = pairs.sorted { $0.value < $1.value }.flatMap { pair, folder in
    ["Before", "After", "Beside"].map { form in
        .target(
            name: pair + form,
            path: "\(folder)/\(form)",
            exclude: ["module.json"],
            swiftSettings: [.unsafeFlags(["-I", sdk + "/modules"])],
            linkerSettings: [.unsafeFlags(["-L", sdk + "/lib", "-lAtriumKit"])],
            plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
    }
}

let tests = Target.testTarget(
    name: "MigrationsTests",
    dependencies: modules.filter { !$0.name.hasSuffix("Beside") }.map { .target(name: $0.name) },
    path: "Tests",
    // A test says which of the modules it means by importing it.
    swiftSettings: [
        .enableUpcomingFeature("MemberImportVisibility"), .unsafeFlags(["-I", sdk + "/modules"]),
    ],
    linkerSettings: [
        .unsafeFlags([
            "-L", sdk + "/lib", "-lAtriumKit", "-lAtriumTesting", "-Xlinker", "-rpath", "-Xlinker",
            sdk + "/lib",
            // Each module has an entry of the same name, which a test does not use.
            "-Xlinker", "--allow-multiple-definition",
        ])
    ])

let package = Package(
    name: "Migrations",
    products: modules.map { .library(name: $0.name, type: .dynamic, targets: [$0.name]) },
    dependencies: [.package(name: "AtriumKit", path: sdk)],
    targets: modules + [tests],
    swiftLanguageModes: [.v6]
)
