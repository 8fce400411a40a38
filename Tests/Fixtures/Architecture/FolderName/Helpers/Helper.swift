// error: [folder-name] the folder 'Helpers' is no layer, so nothing in it is checked;
//        use one of View, ViewModel, AggregateModel, UseCase, Repo, Services, Model
enum Helper {}
