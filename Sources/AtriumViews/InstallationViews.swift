package import AtriumKit
package import AtriumLibraries

@MainActor
package enum InstallationViews {
    package static func made(_ package: NewPackage) -> (content: Content, message: String) {
        let content = Content {
            Field("name", label: package.isContract ? "Contract" : "Module", package.name)
            Field("folder", package.folder)
            let next = package.isContract ? "swift build -c release --package-path" : "atrium dev"
            Field("next", label: "Next", "\(next) \(package.path)")
        }
        return (content, "Made the package of a \(package.isContract ? "contract" : "module").")
    }

    /// The paths of the documents for authors, which an SDK has.
    package static func documents(_ sdk: String) -> Content {
        Content {
            Field("readme", "\(sdk)/README.md")
            Field("pages", "\(sdk)/Documentation")
            Field("reference", "\(sdk)/Documentation/reference")
            Field("examples", "\(sdk)/Examples")
        }
    }

    /// The paths of the parts of a host; those that are nil are missing.
    package static func paths(
        _ installation: Installation, configuration: String?, data: String?
    ) -> Content {
        Content {
            Field("executable", installation.executable)
            Field("modules", installation.modules)
            Field("configuration", configuration)
            Field("sdk", label: "SDK", installation.sdk)
            Field("data", data)
        }
    }
}
