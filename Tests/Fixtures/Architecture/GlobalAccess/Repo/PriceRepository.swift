import AtriumKit
import Foundation
import Glibc

@MainActor
final class PriceRepository {
    private let session: SessionWriter
    // error: [global-access] 'SessionManager.shared' is one for the whole process, which tests can't replace;
    //        take the context's 'session', which repositories write and view models read
    private let manager = SessionManager.shared
    // error: [global-access] 'SessionManager.shared' is one for the whole process, which tests can't replace;
    //        take the context's 'session', which repositories write and view models read
    private var user: SessionUser? { SessionManager.shared.user }

    init(session: SessionWriter) {
        self.session = session
        // error: [global-access] 'SessionManager.shared' is one for the whole process, which tests can't replace;
        //        take the context's 'session', which repositories write and view models read
        let manager: SessionManager = .shared
        _ = manager
        // error: [global-access] 'FlowManager.shared' is one for the whole process, which tests can't replace;
        //        keep a 'FlowModel' in the view model
        _ = FlowManager.shared
        // error: [global-access] 'UserDefaults.standard' is one for the whole process, which tests can't replace;
        //        store it with a service in the 'Database'
        UserDefaults.standard.set(1, forKey: "prices")
        // error: [global-access] 'NotificationCenter.default' is one for the whole process, which tests can't replace;
        //        send changes with an 'ObserverList'
        NotificationCenter.default.post(name: .init("prices"), object: nil)
        // error: [global-access] 'setenv' changes the whole process;
        //        take a value from the configuration
        setenv("PRICES", "1", 1)
        _ = session.user
    }
}
