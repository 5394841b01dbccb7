import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream } from 'node:fs'
import protobuf from 'protobufjs/minimal.js'
import { finished, writeBytes, writeNumber } from '../../lib/protobuf-writing.ts'
import { BoltWriter } from './bolt-writer.ts'

/** A value to write. */
export interface ExportedValue {
  readonly key: Buffer
  readonly value: Buffer
  readonly createRevision: number
  readonly modRevision: number
  /** Seconds until it expires; undefined if it does not. */
  readonly seconds: number | undefined
}

/**
 * Empty buckets of etcd, in the order of their names. Those of members and of the cluster are filled when the snapshot
 * is restored.
 */
const BEFORE_KEYS = ['alarm', 'auth', 'authRoles', 'authUsers', 'cluster']
const BEHIND_LEASES = ['members', 'members_removed']

/**
 * Writes a snapshot like `etcdctl snapshot save`: the newest value of each key with its revisions, and one lease for
 * each time to live. Older revisions count as compacted. Values must come in the order of their mod revisions, which
 * must be distinct. Memory holds only some pages and the leases. The file must not exist. Sources: etcd 3.5,
 * server/storage (schema, mvcc), etcdutl/snapshot (the hash at the end).
 */
export async function writeSnapshot(
  path: string,
  values: Iterable<ExportedValue> | AsyncIterable<ExportedValue>,
  newest: number,
): Promise<void> {
  const writer = new BoltWriter(path)
  const leases = new Set<number>()
  try {
    for (const name of BEFORE_KEYS) await writer.bucket(name, [])
    await writer.bucket('key', encodeEntries(values, leases))
    await writer.bucket('lease', leaseEntries(leases))
    for (const name of BEHIND_LEASES) await writer.bucket(name, [])
    const compacted = revisionKey(newest)
    await writer.bucket('meta', [
      [Buffer.from('consistent_index'), Buffer.alloc(8)],
      [Buffer.from('finishedCompactRev'), compacted],
      [Buffer.from('scheduledCompactRev'), compacted],
    ])
    writer.finish()
  } finally {
    writer.close()
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  appendFileSync(path, hash.digest())
}

/**
 * Encodes mvccpb.KeyValue messages by revision: key 1, create revision 2, mod revision 3, version 4, value 5, lease 6.
 */
async function* encodeEntries(
  values: Iterable<ExportedValue> | AsyncIterable<ExportedValue>,
  leases: Set<number>,
): AsyncGenerator<[Buffer, Buffer]> {
  for await (const { key, value, createRevision, modRevision, seconds } of values) {
    const writer = protobuf.Writer.create()
    writeBytes(writer, 1, key)
    writeNumber(writer, 2, createRevision)
    writeNumber(writer, 3, modRevision)
    // The number of writes of the key is unknown: 1 if it was never updated, otherwise at least 2.
    writeNumber(writer, 4, createRevision === modRevision ? 1 : 2)
    writeBytes(writer, 5, value)
    if (seconds !== undefined) {
      leases.add(seconds)
      writeNumber(writer, 6, leaseOf(seconds))
    }
    yield [revisionKey(modRevision), finished(writer)]
  }
}

/** Returns the id of the lease that all values with this time to live share. */
const leaseOf = (seconds: number): number => seconds

/** Encodes leasepb.Lease messages by id: id 1, seconds 2. */
function* leaseEntries(leases: ReadonlySet<number>): Generator<[Buffer, Buffer]> {
  for (const seconds of [...leases].sort((a, b) => a - b)) {
    const key = Buffer.alloc(8)
    key.writeBigInt64BE(BigInt(leaseOf(seconds)))
    const lease = protobuf.Writer.create()
    writeNumber(lease, 1, leaseOf(seconds))
    writeNumber(lease, 2, seconds)
    yield [key, finished(lease)]
  }
}

/** Encodes a key of the bucket: main revision (8), `_`, sub revision (8). */
function revisionKey(revision: number): Buffer {
  const bytes = Buffer.alloc(17)
  bytes.writeBigUInt64BE(BigInt(revision))
  bytes.write('_', 8)
  return bytes
}
