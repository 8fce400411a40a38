# Completion of atrium for bash.
_atrium() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  case $previous in
    --allow) COMPREPLY=($(compgen -W "changes destroys" -- "$word")) ;;
    --env) COMPREPLY=($(compgen -W "mock local live" -- "$word")) ;;
    --template) COMPREPLY=($(compgen -W "minimal crud form service infrastructure" -- "$word")) ;;
    --data | --path | dev | index) COMPREPLY=($(compgen -d -- "$word")) ;;
    --config | --ca | --key | --module | --xunit | run | backup | restore | test | record) COMPREPLY=($(compgen -f -- "$word")) ;;
    repository) COMPREPLY=($(compgen -W "index" -- "$word")) ;;
    -c | --api | --scene | --size | --only | --without | --preflight-timeout | --step-timeout | --drain-timeout | --timeout | --define | new) ;;
    *)
      COMPREPLY=($(compgen -W "--help --version --json --no-color --no-pager --keep-going --yes --no-supervisor --data --config \
        --no-preflight --preflight-timeout --step-timeout --drain-timeout --safe --only --without --env --api --ca --database --size --alone --scene --allow -c run \
        serve attach mcp verify lock backup restore database --from --to new dev repository --template --path --key --debug --module --paths test --update --xunit --timeout --define record --replace" -- "$word"))
      ;;
  esac
}
complete -o filenames -F _atrium atrium
