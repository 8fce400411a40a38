final class Prices: Sendable {
    // architecture: allow singleton, because the fixture shows how
    static let allowed = Prices()
    static let alsoAllowed = Prices()  // architecture: allow singleton, because it stands behind the code
    // error: [exception] the exception gives no reason;
    //        write '// architecture: allow singleton, because …'
    // architecture: allow singleton
    // error: [singleton] 'withoutReason' is one object of class 'Exceptions.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let withoutReason = Prices()
    // error: [exception] nothing here breaks 'singleton'; remove the exception
    // architecture: allow singleton, because it was one once
    static let limit = 3
    // error: [exception] there is no rule 'singelton'; did you mean 'singleton'?
    // architecture: allow singelton, because its name is wrong
    static let other = 4
}
