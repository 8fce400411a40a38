@_spi(Host) import AtriumKit
import AtriumTesting

extension ScreenState {
    static let entities = [
        ScreenState("entities, loading") { try Lodgings().unloaded("entities").content },
        ScreenState("entities, failed") { try await Lodgings(scenario: "error").screen("entities").content },
        ScreenState("entities, none") {
            let lodgings = try Lodgings()
            for id in 1...12 { try await lodgings.screen("entities/\(id)").perform("delete") }
            return try await lodgings.screen("entities").content
        },
        ScreenState("entities, none that match") {
            let list = try await Lodgings().screen("entities")
            try await list.perform(
                "list", ["category": HostileTexts.names[1], "search": HostileTexts.names[0]])
            return list.content
        },
        ScreenState("entities, past the end") { try await Lodgings().screen("entities?page=9").content },
        ScreenState("entities, filtered") {
            try await Lodgings().screen("entities?category=%E7%85%A7%E6%98%8E&size=1").content
        },
        ScreenState("entities, content") { try await Lodgings().screen("entities").content },
        ScreenState("entities, hostile content") {
            let lodgings = try Lodgings(scenario: "success")
            for (index, name) in HostileTexts.names.enumerated() {
                let category = HostileTexts.names.reversed()[index]
                _ = try await lodgings.create(name, String(category.prefix(40)), HostileTexts.long)
            }
            return try await lodgings.screen("entities?sort=newest").content
        },
        ScreenState("entities, one created elsewhere") {
            let lodgings = try Lodgings()
            let list = try await lodgings.screen("entities?size=1")
            let link = try await lodgings.create("zzz " + HostileTexts.names[1])
            let id = link.split(separator: "/").last.map(String.init) ?? ""
            lodgings.container.navigator.results = [PresentedResult(json: id)]
            try await list.perform("new")
            return list.content
        },
        ScreenState("an entity, gone") {
            let screen = try await Lodgings().screen("entities/1")
            try await screen.perform("delete")
            return screen.content
        },
        ScreenState("categories") { try await Lodgings().screen("entities/categories").content },
        ScreenState("categories, some not listed") {
            try await Lodgings().screen("entities/categories?limit=1").content
        },
        ScreenState("categories, failed") {
            try await Lodgings(scenario: "error").screen("entities/categories").content
        },
        ScreenState("categories, none") {
            let lodgings = try Lodgings()
            for id in 1...12 { try await lodgings.screen("entities/\(id)").perform("delete") }
            return try await lodgings.screen("entities/categories").content
        },
    ]

    /// Each entity of the mock service, an entity with each hostile name, and the form.
    static let entityForms =
        (1...12).map { id in
            ScreenState("entity \(id)") { try await Lodgings().screen("entities/\(id)").content }
        }
        + HostileTexts.names.map { name in
            ScreenState("entity \(name.prefix(12))") {
                let lodgings = try Lodgings()
                return try await lodgings.screen(
                    lodgings.create(name, String(name.prefix(40)), HostileTexts.long)
                ).content
            }
        } + [
            ScreenState("a new entity, nothing filled in") {
                try await Lodgings().screen("entities/new").content
            },
            ScreenState("a new entity, filled in") {
                let form = try await Lodgings().screen("entities/new")
                try await form.perform("set", ["field": "name", "value": HostileTexts.names[0]])
                try await form.perform("set", ["field": "category", "value": HostileTexts.names[1]])
                try await form.perform("set", ["field": "notes", "value": HostileTexts.long])
                return form.content
            },
            ScreenState("a new entity, all wrong") {
                let form = try await Lodgings().screen("entities/new")
                await form.fail("set", ["field": "name", "value": String(repeating: "長", count: 500)])
                await form.fail("set", ["field": "category", "value": "a\nb"])
                return form.content
            },
            ScreenState("a new entity, refused as a whole") {
                let form = try await Lodgings().screen("entities/new")
                await form.fail("save")
                return form.content
            },
        ]
}
