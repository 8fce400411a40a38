import AtriumKit
import Testing

private struct LampView: View {
    let names: [String]
    let isBroken: Bool

    var body: Content {
        Title("Lamps")
        if isBroken { Notice(.warning, "One is broken.") } else { Text("All work.") }
        for name in names { Text(name) }
    }
}

@Suite("Content and its JSON")
@MainActor
struct ContentTests {
    private func json(_ content: Content) -> String {
        JSONValue.object(content.json).serialized
    }

    @Test("Fields and groups are members; the heading, paragraphs and notices have keys of their own")
    func blocks() {
        let content = Content {
            Title("Lamp")
            Text("It shines.")
            Field("id", 7)
            Field("soldOn", String?.none)
            Group("maker") { Field("name", "Ada") }
            Notice(.success, "It was sold.", hint: "open lamps")
            Text("It is warm.")
        }

        #expect(
            json(content)
                == #"{"title":"Lamp","id":7,"soldOn":null,"maker":{"name":"Ada"},"text":["It shines.","It is warm."],"#
                + #""notices":[{"kind":"success","text":"It was sold.","hint":"open lamps"}]}"#)
    }

    @Test("The first heading is the title, and the last of several fields with one key is used")
    func repetition() {
        let content = Content {
            Title("First")
            Title("Second")
            Field("id", 1)
            Field("id", 2)
        }

        #expect(json(content) == #"{"title":"First","id":2}"#)
    }

    @Test("Empty content is an empty object")
    func empty() {
        #expect(json(Content()) == "{}")
        #expect(Content().blocks.isEmpty)
    }

    @Test("A label is derived from the key unless given, and nil has an empty text")
    func fields() {
        #expect(Field("firstName", "Ada").label == "First name")
        #expect(Field("e-mail_address", "x").label == "E mail address")
        #expect(Field("id", label: "Number", 1).label == "Number")
        #expect(Field("on", true).text == "yes")
        #expect(Field("age", Int?.none).text == "")
    }

    @Test("A list is a line of text for users; a text of its own leaves the value for programs")
    func words() {
        #expect(Field("tags", ["new", "old"]).text == "new, old")
        #expect(Field("tags", ["new", "old"]).value == .array([.string("new"), .string("old")]))
        #expect(Field("tags", [String]()).text == "")
        #expect(Field("copies", 3, text: "three").text == "three")
        #expect(Field("copies", 3, text: "three").value == .integer(3))
        #expect(Field("copies", label: "How many", 3, text: "three").label == "How many")
    }

    @Test("A view's body can contain conditions, loops and other views")
    func builder() {
        let content = Content { LampView(names: ["a", "b"], isBroken: true) }
        let other = Content { LampView(names: [], isBroken: false) }

        #expect(
            json(content)
                == #"{"title":"Lamps","text":["a","b"],"notices":[{"kind":"warning","text":"One is broken."}]}"#
        )
        #expect(json(other) == #"{"title":"Lamps","text":["All work."]}"#)
        #expect(LampView(names: [], isBroken: true).actions.isEmpty)
    }

    @Test("A group with a heading has it as its title, and can contain other views")
    func parts() {
        let content = Content {
            Group("desk", title: "Desk lamps") { LampView(names: [], isBroken: false) }
            Group("floor", title: "Floor lamps") { Field("count", 2) }
        }

        #expect(
            json(content)
                == #"{"desk":{"title":"Desk lamps","text":["All work."]},"#
                + #""floor":{"title":"Floor lamps","count":2}}"#)
    }

    @Test("Appended blocks come last")
    func append() {
        var content = Content { Text("above") }

        content.append(Content { Text("below") })

        #expect(json(content) == #"{"text":["above","below"]}"#)
    }
}
