@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime

/// What is shown at the root: where one can go.
@MainActor
struct Home: View {
    let host: ShellHost

    var body: Content {
        Title("Atrium")
        Field("link", label: "Place", "home")
        let links = host.knownLinks.filter { !$0.pattern.hasArguments }
        if host.knownLinks.isEmpty {
            Notice(.warning, "No module is active, so there is no screen to open.", hint: "modules")
        } else {
            Table(links, key: "links") {
                Column("link", label: "Screen") { $0.pattern.description }
                Column("summary") { $0.summary }
            }
        }
    }
}
