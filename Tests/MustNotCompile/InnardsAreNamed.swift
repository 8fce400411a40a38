// Internal types of the contexts, named from a module.
// error: cannot find type 'ContextCore' in scope
// error: cannot find type 'Request' in scope
// error: cannot find type 'Cell' in scope
// error: cannot find type 'CellIndex' in scope
// error: cannot find type 'Slot' in scope
// error: cannot find type 'SlotTable' in scope
// error: cannot find type 'ModuleScope' in scope
// error: cannot find type 'EntryScope' in scope
// error: cannot find type 'BuildState' in scope
// error: cannot find type 'Registration' in scope
// error: cannot find type 'StagedChange' in scope
// error: cannot find type 'Verifier' in scope
// error: cannot find type 'RegistrationKey' in scope
// error: cannot find type 'ScreenRegistration' in scope
// error: cannot find type 'LogSink' in scope
// error: cannot find type 'Factory' in scope
// error: cannot find type 'ValueBox' in scope
import AtriumKit

typealias OwnContextCore = ContextCore
typealias OwnRequest = Request
typealias OwnCell = Cell
typealias OwnCellIndex = CellIndex
typealias OwnSlot = Slot
typealias OwnSlotTable = SlotTable
typealias OwnModuleScope = ModuleScope
typealias OwnEntryScope = EntryScope
typealias OwnBuildState = BuildState
typealias OwnRegistration = Registration
typealias OwnStagedChange = StagedChange
typealias OwnVerifier = Verifier
typealias OwnRegistrationKey = RegistrationKey
typealias OwnScreenRegistration = ScreenRegistration
typealias OwnLogSink = LogSink
typealias OwnFactory = Factory<RepositoryContext, Int>
typealias OwnValueBox = ValueBox<Int>
