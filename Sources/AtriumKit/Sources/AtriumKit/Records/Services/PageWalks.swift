internal import Synchronization

/// The pages of lists of a server that has cursors, decides the size of a page, or does not say how many rows
/// there are.
///
/// A page of a list is made of as many of the server's as it needs. The places of those that were read are kept,
/// so that the next page needs no others; another page is reached by the pages before it.
final class PageWalks<Item: Record>: Sendable {
    /// A page of the server.
    enum Place: Hashable, Sendable {
        case page(Int)
        case cursor(String?)
    }

    struct Answer {
        let rows: [Item]
        let total: Int?
        /// True if rows follow; nil if the server does not say.
        let hasNext: Bool?
        let next: String?
    }

    /// A place of a list.
    private struct Mark {
        /// The number of rows before it.
        var row = 0
        var place: Place
        /// The first row of the answer before it.
        var former: Item.ID?
    }

    private struct Walk {
        var marks: [Mark]
        var used = 0
    }

    private struct State {
        var walks: [RecordQuery<Item>: Walk] = [:]
        var uses = 0
    }

    private let state = Mutex(State())
    private let paging: APIConventions.Paging
    private static var mostWalks: Int { 16 }
    /// The most pages of the server that one page is looked for in.
    private static var mostAnswers: Int { 10_000 }

    /// Returns nil if each page of a list is one of the server's.
    init?(_ paging: APIConventions.Paging) {
        guard paging.cursorParameter != nil || paging.sizeParameter == nil || paging.totalMember == nil else {
            return nil
        }
        self.paging = paging
    }

    func page(
        _ query: RecordQuery<Item>, _ read: (Place) async throws -> Answer
    ) async throws -> RecordPage<Item> {
        var mark = start(of: query)
        var (rows, end, total) = ([Item](), Int?.none, Int?.none)
        for _ in 0..<Self.mostAnswers {
            try Task.checkCancellation()
            let answer = try await read(mark.place)
            total = answer.total ?? total
            // A server that ignores the place answers with the first page for ever.
            let isRepeated = mark.former != nil && answer.rows.first?.id == mark.former
            if !isRepeated {
                rows += answer.rows.dropFirst(max(0, query.offset - mark.row))
                mark.row += answer.rows.count
            }
            guard !isRepeated, let next = self.next(mark.place, answer, mark.row, query) else {
                end = mark.row
                break
            }
            (mark.place, mark.former) = (next, answer.rows.first?.id)
            keep(mark, of: query)
            if rows.count >= query.size { break }
        }
        let shown = Array(rows.prefix(query.size))
        let seen = query.offset + shown.count
        if let total = total ?? end {
            return RecordPage(rows: shown, total: max(total, shown.isEmpty ? 0 : seen))
        }
        return RecordPage(rows: shown, atLeast: seen + 1)
    }

    private func next(
        _ place: Place, _ answer: Answer, _ count: Int, _ query: RecordQuery<Item>
    ) -> Place? {
        if answer.rows.isEmpty || answer.hasNext == false { return nil }
        switch place {
        case .cursor(let former): return answer.next == former ? nil : answer.next.map { .cursor($0) }
        case .page(let number):
            if let total = answer.total, answer.hasNext == nil, count >= total { return nil }
            let isShort = paging.sizeParameter != nil && answer.rows.count < query.size
            return isShort && answer.hasNext == nil && answer.total == nil ? nil : .page(number + 1)
        }
    }

    /// The last known place at or before a page; a list is forgotten when its first page is read again.
    private func start(of query: RecordQuery<Item>) -> Mark {
        let first = Mark(place: paging.cursorParameter == nil ? .page(1) : .cursor(nil))
        return state.withLock { state in
            state.uses += 1
            let list = query.onPage(1)
            guard query.page > 1, let walk = state.walks[list] else {
                if state.walks.count >= Self.mostWalks, state.walks[list] == nil,
                    let oldest = state.walks.min(by: { $0.value.used < $1.value.used })
                {
                    state.walks[oldest.key] = nil
                }
                state.walks[list] = Walk(marks: [first], used: state.uses)
                return first
            }
            state.walks[list]?.used = state.uses
            return walk.marks.last { $0.row <= query.offset } ?? first
        }
    }

    private func keep(_ mark: Mark, of query: RecordQuery<Item>) {
        state.withLock { state in
            let list = query.onPage(1)
            guard let last = state.walks[list]?.marks.last, last.row < mark.row else { return }
            state.walks[list]?.marks.append(mark)
        }
    }
}
