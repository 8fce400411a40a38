// swift-tools-version: 6.2
import PackageDescription

/// The loops of the container's benchmark, compiled and linked like a module.
///
/// A package of its own, because SwiftPM links libraries of the same package statically; calls and constants
/// would cost less than in a module.
let package = Package(
    name: "ContainerModule",
    products: [.library(name: "ContainerModule", type: .dynamic, targets: ["ContainerModule"])],
    dependencies: [.package(path: "../../Sources/AtriumKit")],
    targets: [
        .target(
            name: "ContainerModule",
            dependencies: [.product(name: "AtriumKit", package: "AtriumKit")],
            path: "Sources",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
