// A context that is declared copyable.
// error: conformance to 'Copyable' must occur in the same source file as struct 'RepositoryContext'
import AtriumKit

extension RepositoryContext: Copyable {}
