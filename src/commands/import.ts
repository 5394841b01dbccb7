import { join } from 'node:path'
import { ArgumentError, readArguments, type Streams } from '../lib/arguments.ts'
import { type ImportedValue, importValues } from '../storage/embedded/import.ts'
import { snapshotState, snapshotValues } from '../upgrade/report/sources/snapshot.ts'

const USAGE = `Usage: binnacle import --snapshot FILE --data-dir DIR

Fills a data directory with a snapshot of etcd, for a server of this program: all objects with their uids, resource versions and owners. Older versions of them are left out.

      --snapshot    a snapshot of etcd (etcdctl snapshot save), or member/snap/db of a member that is stopped
      --data-dir    a directory in which there is no store yet
      --etcd-prefix of the keys to take (default /registry); the server needs the same flag

What is encrypted stays so: the server needs the cluster's --encryption-provider-config.
`

/** Which server listens where: that of the cluster is none of the new one's. */
const OF_SERVERS = /^\/?[^/]+\/(?:masterleases|peerserverleases)\//

/** Runs the command. Resolves with the exit status. */
export async function runImport(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, { snapshot: 'value', 'data-dir': 'value', 'etcd-prefix': 'value', help: 'switch' }, { h: 'help' }, '')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const [snapshot, directory] = ['snapshot', 'data-dir'].map(name => {
    const value = given.value(name)
    if (!value) throw new ArgumentError(`--${name} is needed`)
    return value
  }) as [string, string]
  const { revision, leaseSeconds } = snapshotState(snapshot)
  const count = await importValues(join(directory, 'store'), valuesOf(snapshot, given.value('etcd-prefix') ?? '/registry', leaseSeconds, Date.now()), revision)
  out(`${count} ${count === 1 ? 'object' : 'objects'} imported, as of resource version ${revision}\n`)
  return 0
}

/** Time began to run anew for leases when the snapshot was taken: they get it whole. */
function* valuesOf(snapshot: string, prefix: string, leaseSeconds: ReadonlyMap<string, number>, now: number): Generator<ImportedValue> {
  for (const { lease, ...value } of snapshotValues(snapshot, prefix)) {
    if (OF_SERVERS.test(value.key)) continue
    const seconds = leaseSeconds.get(lease)
    yield { ...value, deadline: seconds === undefined ? undefined : now + seconds * 1000 }
  }
}
