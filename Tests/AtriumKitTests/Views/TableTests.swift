import AtriumKit
import Testing

@Suite("Tables")
struct TableTests {
    private struct Lamp {
        let id: Int
        let name: String
        let price: Double?
    }

    private let lamps = [Lamp(id: 1, name: "Desk", price: 9.5), Lamp(id: 2, name: "Floor", price: nil)]

    private func table(_ content: Content) throws -> Content.TableData {
        guard case .table(let table)? = content.blocks.first else { throw PlainFailure() }
        return table
    }

    @Test("In JSON a table is a list of objects under its key, hidden columns included")
    func json() {
        let content = Content {
            Table(lamps, key: "lamps") {
                Column("id") { $0.id }
                Column("name", isHidden: true) { $0.name }
                Column("price") { $0.price }
            }
        }

        #expect(
            JSONValue.object(content.json).serialized
                == #"{"lamps":[{"id":1,"name":"Desk","price":9.5},{"id":2,"name":"Floor","price":null}]}"#)
    }

    @Test("Headings have labels, numeric columns are marked, and cells have a text and a value")
    func cells() throws {
        let table = try table(
            Table(lamps) {
                Column("id") { $0.id }
                Column("shopPrice", label: nil) { $0.price }
                Column("name", label: "Called", isHidden: true) { $0.name }
            }.content)

        #expect(table.key == "rows")
        #expect(table.headings.map(\.label) == ["Id", "Shop price", "Called"])
        #expect(table.headings.map(\.isHidden) == [false, false, true])
        #expect(table.headings.map(\.isNumeric) == [true, true, false])
        #expect(table.rows.map { $0.map(\.text) } == [["1", "9.5", "Desk"], ["2", "", "Floor"]])
        #expect(table.rows[1][1].value == .null)
    }

    @Test("Columns can depend on a condition, and rows can be missing", arguments: [true, false])
    func conditions(_ showsPrice: Bool) throws {
        let table = try table(
            Table([Lamp]()) {
                Column("id") { $0.id }
                if showsPrice { Column("price") { $0.price } }
            }.content)

        #expect(table.headings.map(\.key) == (showsPrice ? ["id", "price"] : ["id"]))
        #expect(table.rows.isEmpty)
        #expect(JSONValue.object(Content([.table(table)]).json).serialized == #"{"rows":[]}"#)
    }

    @Test("Numbers, times, booleans and ids keep their width, and only numbers are numeric")
    func widths() throws {
        let table = try table(
            Table(lamps) {
                Column("id") { "\($0.id)" }
                Column("ownerId") { $0.name }
                Column("price") { $0.price }
                Column("made") { _ in Timestamp(microseconds: 0) }
                Column("on") { _ in true }
                Column("name") { $0.name }
            }.content)

        #expect(table.headings.map(\.keepsWidth) == [true, true, true, true, true, false])
        #expect(table.headings.map(\.isNumeric) == [false, false, true, false, false, false])
    }

    @Test("Columns can be built in a loop")
    func loop() throws {
        let table = try table(
            Table(lamps) {
                for key in ["a", "b"] { Column(key) { key + $0.name } }
            }.content)

        #expect(table.rows[0].map(\.text) == ["aDesk", "bDesk"])
    }
}
