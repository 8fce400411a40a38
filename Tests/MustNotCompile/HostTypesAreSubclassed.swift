// Subclasses of AtriumKit's classes.
// error: inheritance from a final class 'ModuleRegistry'
// error: inheritance from a final class 'SessionManager'
import AtriumKit

final class LeakyRegistry: ModuleRegistry {}
final class LeakySession: SessionManager {}
