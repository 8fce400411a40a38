internal import Synchronization

/// The pages of lists of a server that has cursors, decides the size of a page, or does not say how many rows
/// there are.
///
/// A page of a list is made of as many of the server's as it needs. Where those begin is kept,
/// so that the next page needs no others; another page is reached by the pages before it.
final class PageWalks<Item: Record>: Sendable {
    enum ServerPage: Hashable, Sendable {
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

    /// The beginning of one of the server's pages.
    private struct Mark {
        /// The number of rows before it.
        var row = 0
        var page: ServerPage
        /// The ids of the answer before it, to notice a server that ignores the number of the page.
        var former: [Item.ID] = []
        /// The number of rows of the first answer.
        var size: Int?
    }

    private struct Walk {
        var marks: [Mark]
        let number: Int
        var used: Int
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
        _ query: RecordQuery<Item>, _ read: (ServerPage) async throws -> Answer
    ) async throws -> RecordPage<Item> {
        let (start, number) = start(of: query)
        do {
            return try await page(query, from: start, number, read)
        } catch  where start.row > 0 && Self.mayBeExpired(error) {
            forget()
            let (start, number) = self.start(of: query)
            return try await page(query, from: start, number, read)
        }
    }

    /// True if the server refuses a request for what it says, as one with a cursor that has expired.
    private static func mayBeExpired(_ error: any Error) -> Bool {
        error.apiError?.status.map { [400, 404, 410, 422].contains($0) } ?? false
    }

    /// Forgets where pages begin, which a change moves.
    func forget() { state.withLock { $0.walks = [:] } }

    private func page(
        _ query: RecordQuery<Item>, from start: Mark, _ number: Int,
        _ read: (ServerPage) async throws -> Answer
    ) async throws -> RecordPage<Item> {
        var mark = start
        var (rows, end, total) = ([Item](), Int?.none, Int?.none)
        var visited: Set<ServerPage> = []
        for _ in 0..<Self.mostAnswers {
            try Task.checkCancellation()
            visited.insert(mark.page)
            let answer = try await read(mark.page)
            total = answer.total ?? total
            let ids = answer.rows.map(\.id)
            let isRepeated = !ids.isEmpty && ids == mark.former
            if isRepeated, answer.hasNext == true {
                throw APIError.invalidResponse(
                    "The server says that another page follows, but sends the same one again.", status: nil)
            }
            if !isRepeated {
                rows += answer.rows.dropFirst(max(0, query.offset - mark.row))
                mark.row += answer.rows.count
            }
            mark.size = mark.size ?? ids.count
            guard !isRepeated, let next = try next(mark, answer), !visited.contains(next) else {
                end = mark.row
                break
            }
            (mark.page, mark.former) = (next, ids)
            keep(mark, of: query, number)
            if rows.count >= query.size { break }
        }
        let shown = Array(rows.prefix(query.size))
        let seen = query.offset + shown.count
        if let total = total ?? end {
            return RecordPage(rows: shown, total: max(total, shown.isEmpty ? 0 : seen))
        }
        return RecordPage(rows: shown, atLeast: seen + 1)
    }

    /// The page after an answer, of which `mark` counts the rows; nil at the end of the list.
    private func next(_ mark: Mark, _ answer: Answer) throws -> ServerPage? {
        if answer.hasNext == false { return nil }
        switch mark.page {
        case .cursor:
            guard answer.hasNext == true, answer.next == nil else { return answer.next.map { .cursor($0) } }
            throw APIError.invalidResponse(
                "The server says that another page follows, but not at which cursor.", status: nil)
        case .page(let number):
            if answer.rows.isEmpty { return nil }
            if answer.hasNext == true { return .page(number + 1) }
            if let total = answer.total { return mark.row < total ? .page(number + 1) : nil }
            // The first page tells the size of the others, which may be less than was asked for.
            return number > 1 && answer.rows.count < mark.size ?? 0 ? nil : .page(number + 1)
        }
    }

    /// The last known beginning at or before a page, and the number of its walk; a list is forgotten when its first
    /// page is read again.
    private func start(of query: RecordQuery<Item>) -> (mark: Mark, number: Int) {
        let first = Mark(page: paging.cursorParameter == nil ? .page(1) : .cursor(nil))
        return state.withLock { state in
            state.uses += 1
            let list = query.onPage(1)
            if query.page > 1, let walk = state.walks[list] {
                state.walks[list]?.used = state.uses
                return (walk.marks.last { $0.row <= query.offset } ?? first, walk.number)
            }
            if state.walks.count >= Self.mostWalks, state.walks[list] == nil,
                let oldest = state.walks.min(by: { $0.value.used < $1.value.used })
            {
                state.walks[oldest.key] = nil
            }
            state.walks[list] = Walk(marks: [first], number: state.uses, used: state.uses)
            return (first, state.uses)
        }
    }

    private func keep(_ mark: Mark, of query: RecordQuery<Item>, _ number: Int) {
        state.withLock { state in
            let list = query.onPage(1)
            guard let walk = state.walks[list], walk.number == number, let last = walk.marks.last,
                last.row < mark.row
            else { return }
            state.walks[list]?.marks.append(mark)
        }
    }
}
