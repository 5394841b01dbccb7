import protobuf from 'protobufjs/minimal.js'
import { errorMessage } from '../../../lib/error-message.ts'
import { type BoltEntry, BoltError, BoltFile } from './bolt-file.ts'
import type { StoredValue } from './stored.ts'

/** Where etcd keeps every revision of every key: main revision (8), `_`, sub revision (8), and a `t` where the key was deleted. */
const BUCKET = 'key'
const REVISION_BYTES = 17

/** The newest value of each key below a prefix in a snapshot of etcd, or in the file of a member that is stopped. Throws BoltError, and errors of the system. */
export function* snapshotValues(path: string, prefix: string): Generator<StoredValue> {
  const file = new BoltFile(path)
  try {
    const folder = `${prefix.replace(/\/+$/, '')}/`
    const newest = new Map<string, BoltEntry>()
    // Revisions rise, so the last one of a key counts. Keys and places are kept, and values read again.
    for (const entry of file.bucket(BUCKET)) {
      const { key } = keyValueOf(file.read(entry))
      if (!key.startsWith(folder)) continue
      if (entry.key.length > REVISION_BYTES) newest.delete(key)
      else newest.set(key, { ...entry, key: Buffer.alloc(0) })
    }
    for (const [key, entry] of newest) yield { key, value: keyValueOf(file.read(entry)).value }
  } finally {
    file.close()
  }
}

/** mvccpb.KeyValue: key 1, value 5. */
function keyValueOf(bytes: Buffer): StoredValue {
  const reader = protobuf.Reader.create(bytes)
  let key = ''
  let value: Uint8Array = new Uint8Array(0)
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag === 0x0a) key = Buffer.from(reader.bytes()).toString()
      else if (tag === 0x2a) value = reader.bytes()
      else reader.skipType(tag & 7)
    }
  } catch (error) {
    throw new BoltError(`an entry of the file is damaged: ${errorMessage(error)}`)
  }
  return { key, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) }
}
