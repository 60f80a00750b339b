# Completion of genkan(1) for bash.
# tests/lint/completions.sh compares it with `genkan --help`.

_genkan()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local words fields="--cdp-mode --file-upload --handle-dialog --page-eval
	    --confirm-high-risk-click --confirm-page-eval --presence-confirm
	    --confirm-tab-close --warn-precise-snapshot --eval-mask
	    --host-reverify-ms --confirm-grace-ms --click-toast-timeout-ms
	    --eval-toast-timeout-ms --disabled-tools"

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="doctor status pair enclave-status pair-client revoke-client
		    list-clients revoke kill unkill policy lang audit uninstall
		    --version --help"
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	case $prev in
	--manifest-dir)
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	--browser)
		COMPREPLY=($(compgen -W "chrome chromium brave edge vivaldi opera" \
		    -- "$cur"))
		return ;;
	--name | --hash | --signer | --limit | --revision | --entry | \
	    --*-ms | --disabled-tools)
		return ;;
	esac
	case " $(echo $fields) " in
	*" $prev "*)
		COMPREPLY=($(compgen -W "on off" -- "$cur"))
		return ;;
	esac
	case ${COMP_WORDS[1]} in
	doctor)
		words="--json --list --paths --fix --browser --all --manifest-dir
		    --system --help" ;;
	status | enclave-status)
		words="--json --help" ;;
	pair)
		words="--reset --file-store --help" ;;
	pair-client)
		words="--name --this-parent --hash --signer --help" ;;
	revoke-client)
		words="--name --help" ;;
	revoke)
		words="--all --help" ;;
	audit)
		words="--limit --json --help" ;;
	uninstall)
		words="--manifest-dir --system --help" ;;
	lang)
		case $COMP_CWORD in
		2) words="show set --help" ;;
		3) words="auto en zh_CN zh_TW" ;;
		*) words= ;;
		esac ;;
	policy)
		if [ "$COMP_CWORD" -eq 2 ]; then
			words="show history set restrict rollback --help"
		else
			case ${COMP_WORDS[2]} in
			set) words="$fields --json" ;;
			restrict) words="$fields" ;;
			rollback) words="--revision --entry --json" ;;
			*) words="--json" ;;
			esac
		fi ;;
	*)
		words="--help" ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _genkan genkan
