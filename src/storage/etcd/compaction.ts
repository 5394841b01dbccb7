import { type Backend, BackendError } from '../backend.ts'
import { key, NO_REVISION, type Revision } from '../revision.ts'
import type { Connection } from './connection.ts'
import { encodeNumber } from './messages.ts'
import { dataSize, messageSize, varintSize, WireReader, WireWriter } from './wire.ts'

/** The key by which all servers of an etcd, those of Kubernetes among them, agree on who compacts it. It lies outside every prefix. Source: k8s.io/apiserver, pkg/storage/etcd3/compact.go */
const AGREED_KEY = Buffer.from(key('compact_rev_key'))

/** The state of the key. */
interface AgreedKey {
  readonly version: number
  readonly modRevision: Revision
}

/** If the key has the version: puts the revision. Else: gets it. In the shape of kube-apiserver, which stores in front of other databases recognise. */
function encodeTurn(version: number, before: Revision): Buffer {
  const value = Buffer.from(String(before))
  const compare = dataSize(3, AGREED_KEY.length) + 1 + varintSize(version)
  const put = dataSize(1, AGREED_KEY.length) + dataSize(2, value.length)
  const range = dataSize(1, AGREED_KEY.length)
  const writer = new WireWriter(messageSize(1, compare) + messageSize(2, messageSize(2, put)) + messageSize(3, messageSize(1, range)))
  writer.open(1, compare)
  writer.data(3, AGREED_KEY)
  // A member of a oneof is written even if it is zero.
  writer.varint(4 << 3)
  writer.varint(version)
  writer.open(2, messageSize(2, put))
  writer.open(2, put)
  writer.data(1, AGREED_KEY)
  writer.data(2, value)
  writer.open(3, messageSize(1, range))
  writer.open(1, range)
  writer.data(1, AGREED_KEY)
  return writer.bytes
}

/** Returns undefined if the comparison held. */
function decodeTurn(bytes: Buffer): AgreedKey | undefined {
  const reader = new WireReader(bytes)
  let succeeded = false
  let found: AgreedKey = { version: 0, modRevision: NO_REVISION }
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) succeeded = reader.number() !== 0
    else if (field === 3) {
      const response = reader.message()
      for (let kind = response.next(); kind !== 0; kind = response.next()) {
        if (kind === 1) found = readRange(response.message())
        else response.skip()
      }
    } else reader.skip()
  }
  return succeeded ? undefined : found
}

function readRange(reader: WireReader): AgreedKey {
  let version = 0
  let modRevision = NO_REVISION
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 2) {
      reader.skip()
      continue
    }
    const item = reader.message()
    for (let each = item.next(); each !== 0; each = item.next()) {
      if (each === 3) modRevision = item.revision()
      else if (each === 4) version = item.number()
      else item.skip()
    }
  }
  return { version, modRevision }
}

/**
 * Compacts an etcd that other servers may compact, too: a turn is taken by changing the key that all agree on, so that of all servers with one interval one compacts. Throws BackendError `denied` if the user may not
 * change that key.
 */
export function etcdCompactor(connection: Connection): Backend['compact'] {
  /** Version of the key when this server looked last. */
  let known: number | undefined

  async function takeTurn(before: Revision, signal: AbortSignal): Promise<boolean> {
    const call = { signal, deadline: connection.deadline(), repeatable: false }
    const version = known ?? 0
    const found = decodeTurn(await connection.call('/etcdserverpb.KV/Txn', encodeTurn(version, before), call))
    if (found === undefined) {
      known = version + 1
      return true
    }
    const isFirst = known === undefined
    known = found.version
    return isFirst && found.modRevision <= before ? takeTurn(before, signal) : false
  }

  return async (before, signal) => {
    if (!(await takeTurn(before, signal))) return
    try {
      await connection.call('/etcdserverpb.KV/Compact', encodeNumber(before), { signal, deadline: connection.deadline(), repeatable: true })
    } catch (error) {
      // Another server was there first.
      if (!(error instanceof BackendError && error.code === 'compacted')) throw error
    }
  }
}
