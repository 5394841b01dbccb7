import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ClusterError } from '../clients/cluster-client.ts'
import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { checkSnapshot, restoreSnapshot } from '../storage/embedded/restore-snapshot.ts'
import { withServer } from './with-server.ts'

const USAGE = `Usage: binnacle snapshot save FILE
       binnacle snapshot restore FILE --data-dir DIR
       binnacle snapshot status FILE

save asks a running server for all that it stores, as of one revision, with the history that it keeps; requests go on meanwhile. The file has mode 0600: it holds Secrets, encrypted only where the server encrypts them.
restore fills a new data directory with it: uids, resource versions, history and times to live are kept. Keys and certificates are new: kubeconfigs and tokens of service accounts are made anew.
status checks a file.

      --data-dir    a directory in which there is no store yet
      --kubeconfig  default: $KUBECONFIG, data/admin.kubeconfig where there is one, ~/.kube/config
      --context     of the kubeconfig; the current one unless given

To save takes the right to read everything: that of system:masters, or get on all resources of all groups, besides /binnacle/v1/snapshot.
`

const OPTIONS = { word: 'values', 'data-dir': 'value', server: 'switch', kubeconfig: 'value', context: 'value', help: 'switch' } as const

/** Runs the command. Resolves with the exit status. */
export async function runSnapshot(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { h: 'help' }, 'word')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const [verb, file, ...more] = given.values('word')
  if (file === undefined || more.length > 0) throw new ArgumentError('save, restore or status is needed, and the file: binnacle snapshot save FILE')
  if (given.isOn('server'))
    throw new ArgumentError('--server: a snapshot is not restored into a running server: restore it into a new --data-dir, and start a server on that')
  switch (verb) {
    case 'save':
      await save(given, file)
      out(`saved ${stateText(file)}\n`)
      return 0
    case 'status':
      out(`${stateText(file)}\n`)
      return 0
    case 'restore': {
      const directory = given.value('data-dir')
      if (directory === undefined) throw new ArgumentError('--data-dir is needed: a directory in which there is no store yet')
      const { changes, revision } = await restoreSnapshot(file, join(directory, 'store'))
      out(`${changes} changes restored, up to revision ${revision}\n`)
      return 0
    }
    default:
      throw new ArgumentError(`snapshot ${String(verb)}: must be save, restore or status`)
  }
}

function stateText(file: string): string {
  const { revision, compacted, stamped } = checkSnapshot(file)
  return `revision ${revision}${stamped === undefined ? '' : `, history from revision ${Math.max(compacted, stamped - 1)} on`}`
}

/** Saves a snapshot. An incomplete file is removed. */
async function save(given: Arguments, file: string): Promise<void> {
  if (existsSync(file)) throw new ArgumentError(`${file} is there already: a snapshot is saved to a new file`)
  await withServer(given, client =>
    client.save('/binnacle/v1/snapshot', file).catch((error: unknown) => {
      if (!(error instanceof ClusterError && error.status === 404)) throw error
      throw new ClusterError(`${client.server.origin} has no snapshots of its own: on etcd, etcdctl snapshot save makes one`, 404)
    }),
  )
  try {
    checkSnapshot(file)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}
