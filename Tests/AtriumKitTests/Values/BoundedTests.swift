import AtriumKit
import Foundation
import TestSupport
import Testing

@Suite("Numbers with limits")
struct BoundedTests {
    private struct Answer: Codable, Equatable {
        @RowCount var total: Int
        @PageNumber var page: Int
        var size: PageSize?
    }

    private static func decode(_ text: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    @Test("A number within its limits is decoded and encoded as a plain number")
    func plain() throws {
        let answer = try Self.decode(#"{"total": 9007199254740992, "page": 1, "size": 100000}"#)

        #expect(answer.total == 1 << 53 && answer.page == 1 && answer.size?.wrappedValue == 100_000)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            try String(decoding: encoder.encode(answer), as: UTF8.self)
                == #"{"page":1,"size":100000,"total":9007199254740992}"#)
    }

    @Test(
        "A number out of its limits is not decoded",
        arguments: [
            #"{"total": 9007199254740993, "page": 1}"#, #"{"total": -1, "page": 1}"#,
            #"{"total": 0, "page": 0}"#, #"{"total": 0, "page": 1000000001}"#,
            #"{"total": 0, "page": 1, "size": 0}"#, #"{"total": 0, "page": 1, "size": 100001}"#,
            #"{"total": 9223372036854775807, "page": 1}"#, #"{"total": 1e30, "page": 1}"#,
            #"{"total": 0.5, "page": 1}"#,
        ])
    func refused(_ text: String) {
        #expect(throws: DecodingError.self) { try Self.decode(text) }
    }

    @Test("A column's value has the same limits")
    func columns() {
        #expect(RowCount(databaseValue: .integer(3))?.wrappedValue == 3)
        #expect(RowCount(databaseValue: .integer(-1)) == nil)
        #expect(RowCount(databaseValue: .text("3")) == nil)
        #expect(RowCount.databaseTypeName == "an integer from 0 to 9007199254740992")
    }

    @Test("Clamped arithmetic is exact where the result fits, and the nearest value where it does not")
    func clamped() {
        let bounds: [Int8] = [.min, -127, -100, -2, -1, 0, 1, 2, 63, 64, 100, 126, .max]
        for left in bounds {
            for right in bounds {
                let (wide, other) = (Int(left), Int(right))
                #expect(left.addingClamped(right) == Int8(clamping: wide + other))
                #expect(left.subtractingClamped(right) == Int8(clamping: wide - other))
                #expect(left.multipliedClamped(by: right) == Int8(clamping: wide * other))
            }
        }
        #expect(UInt8(3).subtractingClamped(5) == 0)
    }

    @Test("The offset of each page, and the sum of a thousand counts, is a number")
    func products() {
        let (number, size) = (PageNumbers.range.upperBound, PageSizes.range.upperBound)

        #expect(!number.multipliedReportingOverflow(by: size).overflow)
        #expect(!RowCounts.range.upperBound.multipliedReportingOverflow(by: 1_000).overflow)
    }

    @Test("No number of seconds leads past the first and last moment")
    func moments() {
        let moments = [Int64.min, -1, 0, 1, .max].map { Timestamp(microseconds: $0) }
        for moment in moments {
            #expect(moment.adding(seconds: .max) >= moment)
            #expect(moment.adding(seconds: .min) <= moment)
            for other in moments { #expect((moment.seconds(since: other) <= 0) || moment > other) }
        }
        #expect(Timestamp(microseconds: 5_000_000).seconds(since: Timestamp(microseconds: 2_000_000)) == 3)
    }

    @Test("A list that is kept offline is refused with a total or an index that no list has")
    func offlineLists() throws {
        struct Row: Identifiable, Codable, Sendable { let id: Int }
        func decode(_ total: String, _ index: String) throws -> OfflineList<Row> {
            let row = #"{"element":{"id":1},"seenAt":0}"#
            let text = #"{"total":\#(total),"seenAt":0,"rows":{"\#(index)":\#(row)}}"#
            return try JSONDecoder().decode(OfflineList<Row>.self, from: Data(text.utf8))
        }

        var list = try decode("2", "1")
        list.add([Row(id: 2)], offset: .max, size: .max, total: 2, at: Timestamp(microseconds: 0))
        #expect(list.page(offset: .max, size: .max)?.value.isEmpty == true)
        for (total, index) in [("-1", "0"), ("9223372036854775807", "0"), ("1", "-9223372036854775808")] {
            #expect(throws: DecodingError.self) { try decode(total, index) }
        }
    }
}
