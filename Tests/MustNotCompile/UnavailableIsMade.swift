// The word for a missing implementation, made by hand.
// error: 'Unavailable' initializer is inaccessible due to 'private' protection level
import AtriumKit

let nothing = Unavailable()
