# Completion of atrium for fish.
set -l options help version json no-color no-pager keep-going yes no-supervisor no-preflight safe paths debug alone update replace
for option in $options
    complete -c atrium -f -l $option
end
complete -c atrium -x -l allow -a 'changes destroys'
complete -c atrium -x -l env -a 'mock local live'
complete -c atrium -x -l template -a 'minimal crud form service infrastructure'
complete -c atrium -r -l data -a '(__fish_complete_directories)'
complete -c atrium -r -l path -a '(__fish_complete_directories)'
complete -c atrium -r -F -l config
complete -c atrium -r -F -l ca
complete -c atrium -r -F -l key
complete -c atrium -r -F -l module
complete -c atrium -r -F -l xunit
complete -c atrium -x -s c
for option in preflight-timeout step-timeout drain-timeout only without api database size scene timeout define from to
    complete -c atrium -x -l $option
end
complete -c atrium -n __fish_use_subcommand -a 'run serve attach mcp verify lock backup restore database new dev repository test record'
complete -c atrium -n '__fish_seen_subcommand_from repository' -a 'index'
complete -c atrium -n '__fish_seen_subcommand_from database' -a 'copy'
