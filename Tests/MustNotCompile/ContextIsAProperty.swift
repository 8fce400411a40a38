// A context in a property of a copyable value.
// error: stored property 'context' of 'Copyable'-conforming struct 'PriceRepository' has non-Copyable type
import AtriumKit

struct PriceRepository { let context: RepositoryContext }
