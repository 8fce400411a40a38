import Testing

@testable import AtriumKit
@testable import AtriumText

private struct Item {
    let name: String
    let price: Int
    var stock = 1
}

@Suite("Changes of a screen")
struct ContentComparisonTests {
    private func sentences(_ old: Content, _ new: Content) -> [String] {
        ContentChange.changes(from: old, to: new).map(\.sentence)
    }

    private func table(_ items: Item..., key: String = "rows") -> Content {
        Table(items, key: key) {
            Column("id", isHidden: true) { "\($0.name.count)" }
            Column("name") { $0.name }
            Column("price") { $0.price }
            Column("stock") { $0.stock }
        }.content
    }

    @Test("Equal content has no changes")
    func same() {
        let content = Content {
            Title("Shop")
            Field("total", 3)
            table(Item(name: "Pen", price: 2), Item(name: "Pen", price: 2))
        }

        #expect(sentences(content, content).isEmpty)
    }

    @Test("Fields are changed, added and removed; a missing value is a dash")
    func fields() {
        #expect(sentences(Field("total", 3).content, Field("total", 4).content) == ["total: 3 -> 4"])
        #expect(sentences(Content(), Field("total", 4).content) == ["total: added 4"])
        #expect(sentences(Field("total", 4).content, Content()) == ["total: removed 4"])
        #expect(
            sentences(Field("owner", String?.none).content, Field("owner", "Ada").content)
                == ["owner: - -> Ada"])
    }

    @Test("Rows are named by their first visible column, or the next that they fill")
    func rows() {
        let old = table(Item(name: "Pen", price: 2), Item(name: "Ink", price: 5))
        let new = table(Item(name: "Ink", price: 6, stock: 9), Item(name: "Nib", price: 1))

        #expect(
            sentences(old, new) == [
                "row 'Pen' removed", "row 'Ink': price 5 -> 6, stock 1 -> 9", "row 'Nib' added",
            ])
        #expect(sentences(Content(), table(Item(name: "", price: 7))) == ["row '7' added"])
    }

    @Test(
        "A row that gets its first value, as a record that is being created gets its id, stays the same row")
    func identified() {
        func table(_ items: (id: String, name: String)...) -> Content {
            Table(items) {
                Column("id") { $0.id }
                Column("name") { $0.name }
            }.content
        }

        let first = table(("7", "Pen"), ("", "Ink"))

        #expect(sentences(first, table(("8", "Ink"), ("7", "Pen"))).contains("row '8': id - -> 8"))
        #expect(
            sentences(first, table(("7", "Pen"), ("8", "Nib"))) == ["row 'Ink' removed", "row '8' added"])
    }

    @Test("Rows of the same name are matched by their order, and a new order is reported")
    func order() {
        let pens = table(Item(name: "Pen", price: 1), Item(name: "Pen", price: 2))
        let more = table(
            Item(name: "Pen", price: 1), Item(name: "Pen", price: 3), Item(name: "Pen", price: 4))
        #expect(sentences(pens, more) == ["row 'Pen': price 2 -> 3", "row 'Pen' added"])

        let old = table(Item(name: "Pen", price: 1), Item(name: "Ink", price: 1))
        let new = table(Item(name: "Ink", price: 1), Item(name: "Pen", price: 1))
        #expect(sentences(old, new) == ["rows: in another order"])
    }

    @Test("A change in a table with a key of its own, or in a group, is reported with the keys")
    func keys() {
        let old = Content([.group(key: "left", table(Item(name: "Pen", price: 1), key: "items"))])
        let new = Content([
            .group(key: "left", table(Item(name: "Pen", price: 2), key: "items")),
            .group(key: "right", Field("total", 1).content),
        ])

        #expect(sentences(old, new) == ["left.items: row 'Pen': price 1 -> 2", "right.total: added 1"])
    }

    @Test("A changed heading, and added and removed notices, are reported")
    func others() {
        let old = Content {
            Title("Shop")
            Text("Open.")
            Notice(.warning, "Slow.")
        }
        let new = Content {
            Title("Stall")
            Text("Open.")
            Notice(.problem, "Lost.")
        }

        #expect(
            sentences(old, new) == [
                "title: Shop -> Stall", "notices: removed warning: Slow.", "notices: added problem: Lost.",
            ])
    }

    @Test("JSON has the values of a change, and of a changed row only the columns that changed")
    func json() {
        let old = Content {
            Field("total", 3)
            table(Item(name: "Pen", price: 2))
        }
        let new = Content {
            Field("total", 4)
            table(Item(name: "Pen", price: 3), Item(name: "Ink", price: 5))
        }

        let json = ContentChange.changes(from: old, to: new).map { JSONValue.object($0.json).serialized }

        #expect(
            json == [
                #"{"key":"total","kind":"changed","from":3,"to":4}"#,
                #"{"key":"rows","row":"Pen","kind":"changed","cells":{"price":{"from":2,"to":3}}}"#,
                #"{"key":"rows","row":"Ink","kind":"added","to":{"id":"3","name":"Ink","price":5,"stock":1}}"#,
            ])
    }
}
