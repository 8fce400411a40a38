@_spi(Host) package import AtriumKit

/// A place that somebody wants to go to: a destination and the screen that shows it.
///
/// A class, as the size of a link is known only at run time: each copy would ask for it.
@MainActor
final class Route {
    let registration: ScreenRegistration
    let destination: any Destination
    let link: Link
    /// The link as text.
    let name: String

    /// - Parameters:
    ///   - destination: The place.
    ///   - registration: Its screen.
    ///   - link: The link of the place and its text, where that is known.
    /// - Throws: `LinkError` where the destination has no link.
    init(_ destination: any Destination, on registration: ScreenRegistration, link: (Link, String)? = nil)
        throws
    {
        self.registration = registration
        self.destination = destination
        // What the host presents itself has properties that links can't express, and is never opened by one.
        if let link {
            (self.link, name) = link
        } else {
            let link =
                registration.isOfHost
                ? Link(segments: [registration.pattern.description]) : try destination.link()
            (self.link, name) = (link, link.description)
        }
    }

    /// What the guards are told.
    var attempt: NavigationAttempt {
        NavigationAttempt(destination: destination, link: link, module: registration.module)
    }

    /// The place as an entry of a stack.
    func entry(_ id: StackEntry.ID) -> StackEntry {
        StackEntry(
            id: id, module: registration.module, destination: registration.name,
            version: registration.version, link: name, properties: ArchivedDestination(destination))
    }
}

/// A screen that was built for a place and is not on the stack yet.
@MainActor
package struct PreparedScreen {
    package let screen: Screen
    let target: Route
    let navigator: EntryNavigator
}

extension ScreenRegistration {
    /// Whether it is a screen of the host itself.
    var isOfHost: Bool { module == HostScreens.module }
}
