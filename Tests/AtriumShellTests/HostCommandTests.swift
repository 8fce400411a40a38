@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumStorage
import Testing

@testable import AtriumCommands
@testable import AtriumLibraries
@testable import AtriumText

@Suite("Host commands")
@MainActor
struct HostCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test("The first words of commands are kept from the actions of modules, but not of later commands")
    func names() {
        let words = HostCommands(scene: shop.scene).actions.map { $0.name.prefix { $0 != " " } }

        #expect(Set(words.map(String.init)).subtracting(HostCommands.later) == ActionNames.hostCommands)
        #expect(HostCommands.later.isSubset(of: words.map(String.init)))
        #expect(HostCommands.later.isDisjoint(with: ActionNames.hostCommands))
    }

    @MainActor private final class Warnings { var messages: [String] = [] }

    @Test("A kept scene whose file can't be read has no link in the list, and a warning names the file")
    func unreadableScene() async throws {
        let (error, warnings) = (StorageError.notRegular("/data/scene-mock-left.json"), Warnings())
        shop.host.keptScenes = { ["desk": .success("items"), "left": .failure(error)] }
        shop.coordinator.reportError = { warnings.messages.append(ShellError.explain($0).message) }

        let rows = try await shop.json("scenes")

        #expect(rows.contains(#""name":"desk","link":"items""#), "\(rows)")
        #expect(rows.contains(#""name":"left","link":null"#), "\(rows)")
        #expect(warnings.messages == [error.message])
    }

    @Test("'open' pushes a screen, 'back' returns, and 'back' at the root does nothing")
    func moving() async throws {
        #expect(try await shop.output("open items/7").content?.json == ["id": 7])
        #expect(try await shop.output("open fair").content?.json == ["title": "Fair"])
        #expect(shop.stack == ["items/7", "fair"])

        #expect(try await shop.output("back").content?.json == ["id": 7])
        #expect(shop.stack == ["items/7"])

        #expect(try await shop.output("root").content?.json["title"] == "Atrium")
        #expect(try await shop.output("back").message == "You are at the root already.")
        #expect(shop.stack.isEmpty)
    }

    @Test("An unknown link is not opened")
    func openUnknown() async throws {
        let error = try await shop.failure("open itms")

        #expect(error?.message == "No screen has the link 'itms'.")
        #expect(error?.hint == "Did you mean 'items'? 'links' lists all.")
        #expect(shop.stack.isEmpty)
    }

    @Test("The root shows the links that need no parameters")
    func home() async throws {
        #expect(
            try await shop.json("root")
                == #"{"title":"Atrium","link":"home","rows":[{"link":"fair","summary":"The fair"},"#
                + #"{"link":"items","summary":"All items"}]}"#)
    }

    @Test("Links are listed with their module and summary")
    func links() async throws {
        let json = try await shop.json("links")

        #expect(
            json.contains(
                #"{"link":"items/:id","module":"Shop","guards":[],"loaded":true,"summary":"One item"}"#),
            "\(json)")
    }

    @Test("Modules are listed with their states and problems")
    func modules() async throws {
        #expect(
            try await shop.json("modules")
                == #"{"rows":[{"name":"Shop","version":"1.2.3","state":"active","environment":"mock"},"#
                + #"{"name":"Idle","version":null,"state":"waiting","environment":"mock"}],"#
                + #""total":2,"notices":[{"kind":"warning","text":"Idle: it requires Shop ^2.0.0, but Shop is 1.2.3.","#
                + #""hint":"why Idle"}]}"#)
    }

    @Test("'module' shows a manifest; an unknown name is an error that suggests the nearest")
    func module() async throws {
        let json = try await shop.output("module Shop").content?.json
        let error = try await shop.failure("module Shp")

        #expect(json?["title"] == "Shop")
        #expect(json?["version"] == "1.2.3")
        #expect(json?["requires"] == "nothing")
        #expect(error?.code == .unknownModule)
        #expect(error?.message == "There is no module 'Shp'.")
        #expect(error?.hint == "Did you mean 'Shop'?")
    }

    @Test("'where' shows the current link and the stack, the top entry first")
    func whereAmI() async throws {
        _ = try await shop.output("open items/7")
        _ = try await shop.output("open fair")

        let json = try await shop.output("where").content?.json

        #expect(json?["link"] == "fair")
        #expect(json?["environment"] == "mock")
        #expect(
            json?["rows"] == [
                ["link": "fair", "module": "Shop", "note": .null],
                ["link": "items/7", "module": "Shop", "note": .null],
            ])
    }

    @Test("The actions of the current screen are listed with their arguments")
    func actions() async throws {
        #expect(
            try await shop.json("actions")
                == #"{"rows":[],"notices":[{"kind":"information","text":"'home' has no actions.","hint":"links"}]}"#
        )

        _ = try await shop.output("open items")
        let json = try await shop.json("actions")

        #expect(
            json.contains(
                #"{"number":1,"name":"list","arguments":"[--page PAGE] [--sort name|age]","effect":"reads","summary":"Lists them"}"#
            ))
        #expect(json.contains(#""arguments":"EMAIL PASSWORD""#))
    }

    @Test("'help' explains commands, actions, modules and links; an unknown topic is an error")
    func help() async throws {
        _ = try await shop.output("open items")

        #expect(try await shop.output("help").content?.json["actions"] != nil)
        #expect(try await shop.output("help open").content?.json["title"] == "open LINK")
        #expect(try await shop.output("help create").content?.json["effect"] == "changes")
        #expect(try await shop.output("help Shop").content?.json["title"] == "Shop")
        #expect(try await shop.output("help items/7").content?.json["title"] == "items/:id")
        let error = try await shop.failure("help opne")
        #expect(error?.code == .notFound)
        #expect(error?.message == "There is no help about 'opne'.")
        #expect(error?.hint == "Did you mean 'open'?")
    }
}
