// A context as the property of a value that can be copied.
// error: stored property 'context' of 'Copyable'-conforming struct 'PriceRepository' has non-Copyable type
import AtriumKit

struct PriceRepository { let context: RepositoryContext }
