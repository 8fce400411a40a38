@_spi(Host) package import AtriumKit

/// A destination, its link, and the screen that shows it.
///
/// A class, because the size of a link is known only at run time: each copy of a struct would look it up.
@MainActor
package final class Route {
    let registration: ScreenRegistration
    let destination: any Destination
    let link: Link
    /// The link as text.
    let name: String

    /// - Throws: `LinkError` if the destination has no link.
    init(_ destination: any Destination, on registration: ScreenRegistration, link: (Link, String)? = nil)
        throws
    {
        self.registration = registration
        self.destination = destination
        if let link {
            (self.link, name) = link
        } else {
            // The host's own screens have properties that links can't express; no link opens them.
            let link =
                registration.isOfHost
                ? Link(segments: [registration.pattern.description]) : try destination.link()
            (self.link, name) = (link, link.description)
        }
    }

    var attempt: NavigationAttempt {
        NavigationAttempt(destination: destination, link: link, module: registration.module)
    }

    func entry(_ id: StackEntry.ID) -> StackEntry {
        StackEntry(
            id: id, module: registration.module, destination: registration.name,
            version: registration.version, link: name, properties: ArchivedDestination(destination))
    }
}

/// A built screen that is not on the stack.
@MainActor
package struct PreparedScreen {
    package let screen: Screen
    let route: Route
    let navigator: EntryNavigator

    package var module: String { route.registration.module }
}

extension ScreenRegistration {
    var isOfHost: Bool { module == HostScreens.module }
}
