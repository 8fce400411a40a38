import AtriumKit
import Testing

private enum Shade: String, CaseIterable, ArgumentValue {
    case light, dark
}

@Suite("Descriptions of actions and arguments")
struct ArgumentDescriptionTests {
    @Test("An action has a name, a summary, an effect and arguments in order")
    func action() {
        let action = Action(
            "paint", "Paints it", effect: .destroys, Argument<Shade>("shade"),
            Argument<Int>("coats", default: 2)
        ) { _, _ in .updated }

        #expect((action.name, action.summary, action.effect) == ("paint", "Paints it", .destroys))
        #expect(action.arguments.map(\.name) == ["shade", "coats", "yes"])
        #expect(Action("rest", "Rests") { .updated }.effect == .changes)
    }

    @Test("An argument is required unless it has a default or is optional")
    func required() {
        #expect(Argument<String>("a").description.isRequired)
        #expect(!Argument<String>("a", default: "x").description.isRequired)
        #expect(!Argument<String?>("a").description.isRequired)
        #expect(Argument<Bool>("a").description.isRequired)
    }

    @Test("A default is shown in the form in which it is typed")
    func defaultText() {
        #expect(Argument<Bool>("a", default: true).description.defaultText == "yes")
        #expect(Argument<Shade>("a", default: .dark).description.defaultText == "dark")
        #expect(Argument<Int?>("a", default: 3).description.defaultText == "3")
        #expect(Argument<Int?>("a").description.defaultText == nil)
        #expect(Argument<Double>("a", default: 2_147_483_647).description.defaultText == "2147483647")
        #expect(Argument<Double>("a", default: 0.5).description.defaultText == "0.5")
    }

    @Test("Choices are the cases of an enumeration unless given")
    func choices() {
        #expect(Argument<Shade>("a").description.choices == ["light", "dark"])
        #expect(Argument<Shade?>("a").description.choices == ["light", "dark"])
        #expect(Argument<Shade>("a", choices: ["dark"]).description.choices == ["dark"])
        #expect(Argument<Bool>("a").description.choices == ["yes", "no"])
        #expect(Argument<String>("a").description.choices.isEmpty)
    }

    @Test("Each type has a name in plain words")
    func typeNames() {
        #expect(String.argumentTypeName == "a text")
        #expect(Int?.argumentTypeName == "a whole number")
        #expect(Double.argumentTypeName == "a number")
        #expect(Bool.argumentTypeName == "yes or no")
        #expect(Shade.argumentTypeName == "a choice")
    }
}
