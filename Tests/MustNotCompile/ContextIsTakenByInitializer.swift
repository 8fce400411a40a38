// An initializer that stores a borrowed context.
// error: 'borrowed' is borrowed and cannot be consumed
import AtriumKit

@MainActor final class PriceRepository {
    private let context: RepositoryContext

    init(borrowed: borrowing RepositoryContext) {
        self.context = borrowed
    }
}
