@_spi(Host) import AtriumKit
import AtriumTesting

extension ScreenState {
    /// A user without a stored profile.
    private static let other = SessionUser(id: "other", email: "other@example.com", displayName: nil)

    static let profile =
        ["profile", "profile/edit", "profile/notifications", "users", "users/mock-edge-2"].flatMap { link in
            [
                ScreenState("\(link), not loaded") {
                    try Lodgings(HostileTexts.user()).unloaded(link).content
                },
                ScreenState("\(link), guest") { try await Lodgings().screen(link).content },
                ScreenState("\(link), failed") {
                    try await Lodgings(HostileTexts.user(), scenario: "error").screen(link).content
                },
                ScreenState("\(link), nothing stored") { try await Lodgings(other).screen(link).content },
                ScreenState("\(link), of somebody else") {
                    let lodgings = try Lodgings(HostileTexts.user())
                    let screen = try await lodgings.screen(link)
                    lodgings.session.writer.signOut()
                    return screen.content
                },
            ]
                + (1...3).map { number in
                    ScreenState("\(link) \(number)") {
                        try await Lodgings(HostileTexts.user("mock-edge-\(number)")).screen(link).content
                    }
                }
        } + [
            ScreenState("notifications, some") {
                let lodgings = try Lodgings(HostileTexts.user())
                for _ in 0..<3 { try await lodgings.screen("profile/edit").perform("submit", ["age": "40"]) }
                return try await lodgings.screen("profile/notifications").content
            },
            ScreenState("profile form, filled in") {
                let form = try await Lodgings(HostileTexts.user()).screen("profile/edit")
                try await form.perform("set", ["field": "firstName", "value": HostileTexts.names[1]])
                try await form.perform("set", ["field": "lastName", "value": HostileTexts.names[2]])
                try await form.perform("set", ["field": "age", "value": "99"])
                try await form.perform("set", ["field": "bio", "value": HostileTexts.long])
                return form.content
            },
            ScreenState("profile form, all wrong") {
                let form = try await Lodgings(HostileTexts.user()).screen("profile/edit")
                await form.fail("set", ["field": "firstName", "value": String(repeating: "名", count: 500)])
                await form.fail("set", ["field": "lastName", "value": " "])
                await form.fail("set", ["field": "age", "value": "many"])
                await form.fail("set", ["field": "bio", "value": String(repeating: "👩‍👩‍👧‍👦", count: 3_000)])
                return form.content
            },
            ScreenState("profile form, changed elsewhere") {
                let lodgings = try Lodgings(HostileTexts.user())
                let form = try await lodgings.screen("profile/edit")
                try await form.perform("set", ["field": "bio", "value": HostileTexts.long])
                try await form.perform("set", ["field": "age", "value": "99"])
                let elsewhere = try await lodgings.screen("profile/edit")
                try await elsewhere.perform("submit", ["age": "40", "bio": HostileTexts.names[1]])
                await form.fail("submit")
                return form.content
            },
            ScreenState("users, nobody") {
                try await Lodgings(HostileTexts.user()).screen("users?search=nobody").content
            },
            ScreenState("users, past the end") {
                try await Lodgings(HostileTexts.user()).screen("users?search=a&page=7").content
            },
            ScreenState("profile form, refused as a whole") {
                let form = try await Lodgings(other).screen("profile/edit")
                await form.fail("submit")
                return form.content
            },
        ]
}
