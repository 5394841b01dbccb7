import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError, readArguments, type Streams } from '../lib/arguments.ts'
import { trimBoth } from '../lib/trim.ts'
import { type LatestValue, withLatestValues } from '../storage/embedded/export.ts'
import { type ExportedValue, writeSnapshot } from '../storage/etcd-snapshot/write-snapshot.ts'

const USAGE = `Usage: binnacle export --data-dir DIR --snapshot FILE

Writes an etcd snapshot for kube-apiserver from a data directory that is not in use: all objects with their uids, resource versions, owners and times to live.

      --data-dir     a data directory of binnacle
      --snapshot     the file to write, which must not exist
      --etcd-prefix  prefix of the keys of the store (default /registry)

Then: etcdutl snapshot restore FILE --data-dir DIR
Encrypted values are not decrypted: kube-apiserver needs the same --encryption-provider-config. Keys that only binnacle uses are omitted.
`

/** Runs the command. Resolves with the exit status. */
export async function runExport(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, { snapshot: 'value', 'data-dir': 'value', 'etcd-prefix': 'value', help: 'switch' }, { h: 'help' }, '')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const [directory, snapshot] = ['data-dir', 'snapshot'].map(name => {
    const value = given.value(name)
    if (!value) throw new ArgumentError(`--${name} is required`)
    return value
  }) as [string, string]
  const prefix = `/${trimBoth(given.value('etcd-prefix') ?? '/registry', '/')}`
  out(await withLatestValues(join(directory, 'store'), (values, newest) => written(snapshot, values, newest, prefix)))
  return 0
}

async function written(snapshot: string, values: AsyncIterable<LatestValue>, newest: number, prefix: string): Promise<string> {
  const counted = { objects: 0 }
  try {
    await writeSnapshot(snapshot, exported(values, prefix, Date.now(), counted), newest)
  } catch (error) {
    // An incomplete snapshot is removed. A file that existed before is left alone.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new ArgumentError(`${snapshot} already exists: a snapshot is written to a new file`)
    rmSync(snapshot, { force: true })
    throw error
  }
  return `${counted.objects} ${counted.objects === 1 ? 'object' : 'objects'} exported, as of resource version ${newest}\n`
}

async function* exported(
  values: AsyncIterable<LatestValue>,
  prefix: string,
  now: number,
  counted: { objects: number },
): AsyncGenerator<ExportedValue> {
  const own = `${prefix}/binnacle/`
  for await (const { key, value, createRevision, modRevision, deadline } of values) {
    if (key.toString('latin1', 0, own.length) === own) continue
    // An expired key gets the minimum time to live, so that etcd removes it.
    const seconds = deadline === undefined ? undefined : Math.max(1, Math.ceil((deadline - now) / 1000))
    counted.objects++
    yield { key, value, createRevision, modRevision, seconds }
  }
}
