/** Commands for a running server, with the flag that the server requires. */
const ASKING = [
  ['log KIND/NAME', 'show who changed which fields of an object, and when (--history)'],
  ['show KIND/NAME --at MOMENT', 'show an object as it was (--history)'],
  ['diff KIND/NAME --from MOMENT', 'show what has changed in an object since (--history)'],
  ['undo KIND/NAME', 'restore an object as it was before its last change, or at a moment (--history)'],
  ['at MOMENT', 'print a kubeconfig for the server as it was (--history)'],
  ['branch NAME', 'create a branch of the server, and print a kubeconfig for it (--branches)'],
  ['merge NAME --dry-run', 'compare a branch with the server (--branches)'],
  ['why AUDIT-ID|--last|--list', 'show the steps of a request and why it was denied (--why)'],
  ['console', 'print a link that opens the console (--console)'],
  ['snapshot save FILE', 'save everything that a server stores; snapshot restore creates a data directory from it'],
] as const

/** Commands for backups, clusters, manifests and directories. */
const FILING = [
  ['open BACKUP', 'serve a backup of a cluster, read-only'],
  ['import', 'fill a data directory from a cluster, a snapshot of etcd or manifests'],
  ['export', 'write a snapshot of etcd from a data directory'],
  ['verify DIR', 'check the store of a data directory for damage'],
  ['kubeconfig', 'print the administrator’s kubeconfig of a data directory'],
  ['check -f PATH', 'report what an API server would say to manifests, without a server'],
  ['upgrade-report', 'report what an upgrade of Kubernetes breaks in manifests or a cluster'],
  ['convert -f PATH --to RELEASE', 'convert manifests to versions that a release serves'],
  ['explore -- go test ./...', 'find races of a controller: runs its tests under perturbations'],
  ['assets DIR', 'create a directory for envtest (KUBEBUILDER_ASSETS)'],
] as const

/** Names of all commands. */
export const COMMAND_NAMES: readonly string[] = [...new Set([...ASKING, ...FILING].map(([usage]) => usage.split(' ')[0] ?? ''))]

const rows = (commands: readonly (readonly [string, string])[]): string =>
  commands.map(([name, does]) => `  ${name.padEnd(29)} ${does}`).join('\n')

/** First part of `--help`. */
export const COMMANDS_USAGE = `Usage: binnacle [flags]               runs the server
       binnacle COMMAND [arguments]   runs a command; see binnacle COMMAND --help

Commands for a running server:
${rows(ASKING)}

Other commands:
${rows(FILING)}
`
