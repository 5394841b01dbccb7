import { join } from 'node:path'
import { readKubeconfig } from '../clients/cluster-access.ts'
import { ClusterClient } from '../clients/cluster-client.ts'
import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { readConfigFileSync } from '../lib/bounded-input.ts'
import { LineBudget } from '../lib/line-budget.ts'
import { makePrivateDirectory } from '../lib/private-file.ts'
import { trimBoth } from '../lib/trim.ts'
import { DEFAULT_RELEASE } from '../lifecycle/release.ts'
import { type ImportedValue, importValues } from '../storage/embedded/import.ts'
import { snapshotState, snapshotValues } from '../storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot, type SnapshotPath } from '../storage/etcd-snapshot/snapshot-hash.ts'
import { Encryption } from '../storage/value/encryption.ts'
import { parseEncryptionFile } from '../storage/value/encryption-file.ts'
import { LIMIT_OPTIONS, LIMITS_USAGE, limitFlag, readLimits } from '../upgrade/input-limits.ts'
import { InputWatch } from '../upgrade/input-watch.ts'
import { readRelease } from '../upgrade/release-argument.ts'
import { importCluster } from './import/cluster.ts'
import { type ImportTarget, importPath } from './import/files.ts'
import { ObjectImporter } from './import/object-importer.ts'
import { Remarks } from './import/remarks.ts'
import { Spool } from './import/spool.ts'

const USAGE = `Usage: binnacle import --snapshot FILE --data-dir DIR
       binnacle import --kubeconfig FILE [--context NAME] --data-dir DIR
       binnacle import -f PATH [-f …] --data-dir DIR

Imports the objects of a cluster into a data directory of binnacle, with their uids, resource versions, owners and status.

      --snapshot       a snapshot of etcd (etcdctl snapshot save), or, with --skip-hash-check, member/snap/db of a stopped member; only the newest version of each object is imported
      --kubeconfig     a Kubernetes or binnacle server, all of whose objects are listed
      --context        context of the kubeconfig (default: the current one)
  -f, --filename       a file or folder of objects (kubectl get -o yaml, must-gather), a packed folder (tar.gz, such as a Velero backup), or - for standard input
      --redact-secrets replaces the values of Secrets; not for snapshots
      --data-dir       a directory without a store
      --skip-hash-check
                       reads a snapshot without verifying the hash at its end, which member/snap/db does not have
      --etcd-prefix    prefix of the keys of the snapshot and of the store (default /registry); the server needs the same flag
      --encryption-provider-config
                       the EncryptionConfiguration of the new server, which encrypts objects; not for snapshots
      --release        release that the server will emulate, which decides the storage versions (default ${DEFAULT_RELEASE})

${LIMITS_USAGE}
Encrypted values of a snapshot are not decrypted: the server needs the cluster's --encryption-provider-config. Objects that could not be read are listed on standard error.
Exit status: 0 all objects were imported, 1 some could not be read, 2 an error.
`

const OPTIONS = {
  snapshot: 'value',
  kubeconfig: 'value',
  context: 'value',
  filename: 'values',
  'redact-secrets': 'switch',
  'data-dir': 'value',
  'etcd-prefix': 'value',
  'skip-hash-check': 'switch',
  'encryption-provider-config': 'value',
  release: 'value',
  ...LIMIT_OPTIONS,
  help: 'switch',
} as const

/** Keys of the endpoint leases of API servers, which do not apply to the new server. */
const OF_SERVERS = /^\/?[^/]+\/(?:masterleases|peerserverleases)\//

/** Runs the command. Resolves with the exit status. */
export async function runImport(argv: readonly string[], streams: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { f: 'filename', h: 'help' }, 'filename')
  if (given.isOn('help')) {
    streams.out(USAGE)
    return 0
  }
  const directory = given.value('data-dir')
  if (!directory) throw new ArgumentError('--data-dir is required')
  const [snapshot, kubeconfig, paths] = [given.value('snapshot'), given.value('kubeconfig'), given.values('filename')]
  if ([snapshot, kubeconfig, paths[0]].filter(source => source !== undefined).length !== 1)
    throw new ArgumentError('one source is required: --snapshot, --kubeconfig or -f')
  if (snapshot === undefined && given.isOn('skip-hash-check')) throw new ArgumentError('--skip-hash-check requires --snapshot')
  if (snapshot === undefined) return importObjects(given, directory, streams)
  for (const flag of ['redact-secrets', 'encryption-provider-config'])
    if (given.value(flag) !== undefined) throw new ArgumentError(`--${flag} cannot be used with --snapshot, whose values are not changed`)
  const checked = checkedSnapshot(snapshot, { skipHashCheck: given.isOn('skip-hash-check') })
  const { revision, leaseSeconds } = snapshotState(checked)
  const count = await importValues(
    join(directory, 'store'),
    importedValues(checked, prefixOf(given), leaseSeconds, watchOf(given, streams.err)),
    revision,
  )
  streams.out(summary(count, revision))
  return 0
}

const prefixOf = (given: Arguments): string => given.value('etcd-prefix') ?? '/registry'

const summary = (count: number, revision: number): string =>
  `${count} ${count === 1 ? 'object' : 'objects'} imported, as of resource version ${revision}\n`

/** Yields the values of a snapshot. Leases start with their full time to live. */
function* importedValues(
  snapshot: SnapshotPath,
  prefix: string,
  leaseSeconds: ReadonlyMap<string, number>,
  watch: InputWatch,
): Generator<ImportedValue> {
  const now = Date.now()
  for (const { lease, ...value } of snapshotValues(snapshot, prefix)) {
    watch.object(value.key)
    if (OF_SERVERS.test(value.key)) continue
    const seconds = leaseSeconds.get(lease)
    yield { ...value, deadline: seconds === undefined ? undefined : now + seconds * 1000 }
  }
}

async function importObjects(given: Arguments, directory: string, { out, err }: Streams): Promise<number> {
  const release = given.value('release') === undefined ? DEFAULT_RELEASE : readRelease('release', given.value('release'))
  const watch = watchOf(given, err)
  const { lines } = watch.limits
  const remarks = new Remarks(new LineBudget(err, lines, limitFlag('lines')))
  makePrivateDirectory(directory)
  const spool = new Spool(directory)
  try {
    const prefix = `/${trimBoth(prefixOf(given), '/')}`
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const encryption = encryptionOf(given.value('encryption-provider-config'))
    const importer = new ObjectImporter(
      { release, prefix, now, redactsSecrets: given.isOn('redact-secrets'), ...(encryption && { encryption }) },
      remarks,
      spool,
    )
    await readSources(given, { importer, remarks, watch })
    const { newest, values } = importer.finish(Date.now())
    const count = await importValues(join(directory, 'store'), values, newest)
    remarks.end()
    out(summary(count, newest))
    return remarks.lostCount === 0 ? 0 : 1
  } finally {
    spool.close()
  }
}

const watchOf = (given: Arguments, say: Streams['err']): InputWatch =>
  new InputWatch({ limits: readLimits(given), say, now: () => performance.now() })

/** Reads the encryption configuration. Throws EncryptionConfigError and ArgumentError. */
function encryptionOf(file: string | undefined): Encryption | undefined {
  if (file === undefined) return undefined
  const config = parseEncryptionFile(readConfigFileSync(file), file)
  if (config.resources.some(({ providers }) => providers.some(({ kms }) => kms !== undefined)))
    throw new ArgumentError(`--encryption-provider-config ${file}: import does not call key management services`)
  const encryption = new Encryption()
  encryption.configure(config)
  return encryption
}

async function readSources(given: Arguments, target: ImportTarget): Promise<void> {
  const kubeconfig = given.value('kubeconfig')
  for (const path of given.values('filename')) await importPath(path, target)
  if (kubeconfig === undefined) return
  const client = new ClusterClient(readKubeconfig(kubeconfig, given.value('context')))
  try {
    await importCluster(client, target)
  } finally {
    client.close()
  }
}
