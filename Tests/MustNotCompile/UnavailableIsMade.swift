// A value of the type of `.unavailable`, created by a module.
// error: 'Unavailable' initializer is inaccessible due to 'private' protection level
import AtriumKit

let nothing = Unavailable()
