# Completion of genkan(1) for fish.
# tests/lint/completions.sh compares it with `genkan --help`.

complete -c genkan -f
complete -c genkan -n __fish_use_subcommand -l version -d 'print the version'
complete -c genkan -l help -d 'print help'
complete -c genkan -n __fish_use_subcommand -a doctor -d 'say what works and what is missing'
complete -c genkan -n __fish_use_subcommand -a status -d 'the same report as doctor'
complete -c genkan -n __fish_use_subcommand -a pair -d 'make the key by which the extension knows this machine'
complete -c genkan -n __fish_use_subcommand -a enclave-status -d 'is there such a key, and its fingerprint'
complete -c genkan -n __fish_use_subcommand -a pair-client -d 'let an MCP client in'
complete -c genkan -n __fish_use_subcommand -a revoke-client -d 'let it in no longer'
complete -c genkan -n __fish_use_subcommand -a list-clients -d 'who is let in'
complete -c genkan -n __fish_use_subcommand -a revoke -d 'drop the credentials of a browser, or everything'
complete -c genkan -n __fish_use_subcommand -a kill -d 'nobody drives the browser any more'
complete -c genkan -n __fish_use_subcommand -a unkill -d 'release the kill switch'
complete -c genkan -n __fish_use_subcommand -a policy -d 'what agents may do'
complete -c genkan -n __fish_use_subcommand -a lang -d 'the language of the extension'
complete -c genkan -n __fish_use_subcommand -a audit -d 'what was done and decided last'
complete -c genkan -n __fish_use_subcommand -a uninstall -d 'undo the registration of browsers'

complete -c genkan -n '__fish_seen_subcommand_from doctor status enclave-status audit policy' -l json -d 'for programs'
complete -c genkan -n '__fish_seen_subcommand_from doctor' -l list -d 'a line per browser'
complete -c genkan -n '__fish_seen_subcommand_from doctor' -l paths -d 'where the files lie'
complete -c genkan -n '__fish_seen_subcommand_from doctor' -l fix -d 'register browsers'
complete -c genkan -n '__fish_seen_subcommand_from doctor' -l all -d 'every browser'
complete -c genkan -n '__fish_seen_subcommand_from doctor' -l browser -x -a 'chrome chromium brave edge vivaldi opera' -d 'keys, as K,K'
complete -c genkan -n '__fish_seen_subcommand_from doctor uninstall' -l manifest-dir -x -a '(__fish_complete_directories)' -d folder
complete -c genkan -n '__fish_seen_subcommand_from doctor uninstall' -l system -d 'for all users'
complete -c genkan -n '__fish_seen_subcommand_from pair' -l reset -d 'make a new key'
complete -c genkan -n '__fish_seen_subcommand_from pair' -l file-store -d 'keep it in a file'
complete -c genkan -n '__fish_seen_subcommand_from pair-client revoke-client' -l name -x -d label
complete -c genkan -n '__fish_seen_subcommand_from pair-client' -l this-parent -d 'the program that started this one'
complete -c genkan -n '__fish_seen_subcommand_from pair-client' -l hash -x -d 'SHA-256 of its image'
complete -c genkan -n '__fish_seen_subcommand_from pair-client' -l signer -x -d 'its signer'
complete -c genkan -n '__fish_seen_subcommand_from revoke' -l all -d everything
complete -c genkan -n '__fish_seen_subcommand_from audit' -l limit -x -d records
complete -c genkan -n '__fish_seen_subcommand_from lang' -a 'show set auto en zh_CN zh_TW'
complete -c genkan -n '__fish_seen_subcommand_from policy' -a 'show history set restrict rollback'
complete -c genkan -n '__fish_seen_subcommand_from rollback' -l revision -x -d number
complete -c genkan -n '__fish_seen_subcommand_from rollback' -l entry -x -d id
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l cdp-mode -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l file-upload -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l handle-dialog -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l page-eval -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l confirm-high-risk-click -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l confirm-page-eval -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l presence-confirm -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l confirm-tab-close -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l warn-precise-snapshot -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l eval-mask -x -a 'on off'
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l host-reverify-ms -x -d milliseconds
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l confirm-grace-ms -x -d milliseconds
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l click-toast-timeout-ms -x -d milliseconds
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l eval-toast-timeout-ms -x -d milliseconds
complete -c genkan -n '__fish_seen_subcommand_from set restrict' -l disabled-tools -x -d 'names, as a,b'
