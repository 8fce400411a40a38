// A context that is said to be copyable after all.
// error: conformance to 'Copyable' must occur in the same source file as struct 'RepositoryContext'
import AtriumKit

extension RepositoryContext: Copyable {}
