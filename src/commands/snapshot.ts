import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ClusterError } from '../clients/cluster-client.ts'
import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { checkSnapshot, restoreSnapshot } from '../storage/embedded/restore-snapshot.ts'
import { withServer } from './with-server.ts'

const USAGE = `Usage: binnacle snapshot save FILE
       binnacle snapshot restore FILE --data-dir DIR
       binnacle snapshot status FILE

save downloads everything that a running server stores, as of one revision, with its history. The server continues to serve requests. The file has mode 0600, because it contains Secrets, which are encrypted only if the server encrypts them.
restore fills a new data directory from the file: uids, resource versions, history and times to live are preserved. Keys and certificates are not: kubeconfigs and service account tokens have to be reissued.
status verifies a file.

      --data-dir    a directory without a store
      --kubeconfig  path of the kubeconfig (default: $KUBECONFIG, data/admin.kubeconfig if it exists, ~/.kube/config)
      --context     context of the kubeconfig (default: the current one)

save requires permission to read everything: membership in system:masters, or get on all resources of all groups and on /binnacle/v1/snapshot.
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
  if (file === undefined || more.length > 0)
    throw new ArgumentError('an action (save, restore or status) and a file are required: binnacle snapshot save FILE')
  if (given.isOn('server'))
    throw new ArgumentError(
      '--server: a snapshot is not restored into a running server: restore it into a new --data-dir, and start a server on that',
    )
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
      if (directory === undefined) throw new ArgumentError('--data-dir is required: a directory without a store')
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
  if (existsSync(file)) throw new ArgumentError(`${file} already exists: a snapshot is saved to a new file`)
  await withServer(given, client =>
    client.save('/binnacle/v1/snapshot', file).catch((error: unknown) => {
      if (!(error instanceof ClusterError && error.status === 404)) throw error
      throw new ClusterError(`${client.server.origin} does not make snapshots: with etcd, use etcdctl snapshot save`, 404)
    }),
  )
  try {
    checkSnapshot(file)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}
