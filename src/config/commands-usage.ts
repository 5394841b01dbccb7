/** Commands for a running server, with the flag that the server requires. */
const ASKING = [
  ['log KIND/NAME', 'who changed which fields of an object when (--history)'],
  ['show KIND/NAME --at MOMENT', 'an object as it was (--history)'],
  ['diff KIND/NAME --from MOMENT', 'what has changed since (--history)'],
  ['undo KIND/NAME', 'write what an object was before its last change, or at a moment (--history)'],
  ['at MOMENT', 'print a kubeconfig for the server as it was (--history)'],
  ['branch NAME', 'make a branch of the server, and print a kubeconfig for it (--branches)'],
  ['merge NAME --dry-run', 'compare a branch with the server (--branches)'],
  ['why AUDIT-ID|--last|--list', 'why a request was answered as it was (--why)'],
  ['console', 'print a link that opens the console (--console)'],
  ['snapshot save FILE', 'save all that a server stores; snapshot restore makes a data directory of it'],
] as const

/** Commands for backups, clusters, manifests and directories. */
const FILING = [
  ['open BACKUP', 'serve a backup of a cluster, read-only'],
  ['import', 'fill a data directory from a cluster, a snapshot of etcd or manifests'],
  ['export', 'write a snapshot of etcd from a data directory'],
  ['verify DIR', 'look for damage in the store of a data directory'],
  ['kubeconfig', 'print the administrator’s kubeconfig of a data directory'],
  ['upgrade-report', 'what an upgrade of Kubernetes breaks in manifests or a cluster'],
  ['convert -f PATH --to RELEASE', 'write manifests in versions that a release serves'],
  ['assets DIR', 'fill a folder for envtest (KUBEBUILDER_ASSETS)'],
] as const

/** Names of all commands. */
export const COMMAND_NAMES: readonly string[] = [...new Set([...ASKING, ...FILING].map(([usage]) => usage.split(' ')[0] ?? ''))]

const rows = (commands: readonly (readonly [string, string])[]): string => commands.map(([name, does]) => `  ${name.padEnd(29)} ${does}`).join('\n')

/** First part of `--help`. */
export const COMMANDS_USAGE = `Usage: binnacle [flags]               serves
       binnacle COMMAND [arguments]   does something else; binnacle COMMAND --help tells how

Commands that ask a running server:
${rows(ASKING)}

Other commands:
${rows(FILING)}
`
