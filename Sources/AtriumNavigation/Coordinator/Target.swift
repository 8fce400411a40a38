@_spi(Host) package import AtriumKit

/// A place that somebody wants to go to: a destination and the screen that shows it.
@MainActor
struct Target {
    let registration: ScreenRegistration
    let destination: any Destination
    let link: Link

    init(_ destination: any Destination, on registration: ScreenRegistration, link: Link? = nil) throws {
        self.registration = registration
        self.destination = destination
        // What the host presents itself has properties that links can't express, and is never opened by one.
        self.link =
            try link
            ?? (registration.isOfHost
                ? Link(segments: [registration.pattern.description]) : destination.link())
    }

    /// What the guards are told.
    var attempt: NavigationAttempt {
        NavigationAttempt(destination: destination, link: link, module: registration.module)
    }

    /// The place as an entry of a stack.
    func entry(_ id: StackEntry.ID) -> StackEntry {
        StackEntry(
            id: id, module: registration.module, destination: registration.name,
            version: registration.version, link: link.description, properties: KeptDestination(destination))
    }
}

/// A screen that was built for a place and is not on the stack yet.
@MainActor
package struct Visit {
    package let screen: Screen
    let target: Target
    let navigator: EntryNavigator
}

extension ScreenRegistration {
    /// Whether it is a screen of the host itself.
    var isOfHost: Bool { module == HostScreens.module }
}
