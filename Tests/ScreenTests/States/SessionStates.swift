@_spi(Host) import AtriumKit
import AtriumTesting

extension ScreenState {
    static let session = [
        ScreenState("session, guest") { try await Lodgings().screen("session").content },
        ScreenState("session, signed in") {
            try await Lodgings(HostileTexts.user()).screen("session").content
        },
        ScreenState("session, with places") {
            let lodgings = try Lodgings(HostileTexts.user())
            let links = HostileTexts.names.map { Link(segments: ["entities", $0]).description }
            lodgings.session.writer.navigationState = NavigationPath(links)
            return try await lodgings.screen("session").content
        },
        ScreenState("session, expired") {
            let lodgings = try Lodgings(HostileTexts.user())
            lodgings.container.clock.advance(seconds: 1_000_000)
            return try await lodgings.screen("session").content
        },
        ScreenState("sign-in, guest") { try await Lodgings().screen("session/sign-in").content },
        ScreenState("sign-in, signed in") {
            try await Lodgings(HostileTexts.user()).screen("session/sign-in").content
        },
    ]

    /// The steps of the sign-up, including those of another user.
    static let signUp = [
        ScreenState("sign-up, not loaded") { try Lodgings().unloaded("session/sign-up").content },
        ScreenState("sign-up, account") { try await Lodgings().screen("session/sign-up").content },
        ScreenState("sign-up, at the place itself") {
            let lodgings = try Lodgings()
            lodgings.session.writer.navigationState = NavigationPath(["session/sign-up"])
            return try await lodgings.screen("session/sign-up").content
        },
        ScreenState("sign-up, profile") {
            try await Lodgings(HostileTexts.user(name: nil)).screen("session/sign-up").content
        },
        ScreenState("sign-up, done") {
            try await Lodgings(HostileTexts.user()).screen("session/sign-up").content
        },
        ScreenState("sign-up, skipped") {
            let screen = try await Lodgings(HostileTexts.user(name: nil)).screen("session/sign-up")
            try await screen.perform("skip")
            return screen.content
        },
        ScreenState("sign-up, back at the profile") {
            let screen = try await Lodgings(HostileTexts.user()).screen("session/sign-up")
            try await screen.perform("previous")
            return screen.content
        },
        ScreenState("sign-up, of somebody else") {
            let lodgings = try Lodgings(HostileTexts.user())
            let screen = try await lodgings.screen("session/sign-up")
            lodgings.session.writer.signOut()
            return screen.content
        },
    ]
}
