import protobuf from 'protobufjs/minimal.js'
import { finished, writeBytes, writeInteger, writeMessage } from '../../lib/protobuf-writing.ts'
import { type Backend, BackendError } from '../backend.ts'
import { key, NO_REVISION, type Revision } from '../revision.ts'
import type { EtcdConnection } from './connection.ts'
import { encodeNumber } from './messages.ts'
import { WireReader } from './wire.ts'

/**
 * Key by which all servers of an etcd, including those of Kubernetes, coordinate compaction. It lies outside every
 * prefix. Source: k8s.io/apiserver, pkg/storage/etcd3/compact.go
 */
const AGREED_KEY = Buffer.from(key('compact_rev_key'))

/** State of the coordination key. */
interface AgreedKey {
  readonly version: number
  readonly modRevision: Revision
}

/**
 * Encodes a transaction: if the key has the version, put the revision, otherwise get the key. It has the shape of
 * kube-apiserver's, which kine and similar stores recognise.
 */
function encodeTurn(version: number, before: Revision): Buffer {
  const writer = protobuf.Writer.create()
  writeMessage(writer, 1, compare => {
    writeBytes(compare, 3, AGREED_KEY)
    // A member of a oneof is encoded even if it is zero.
    writeInteger(compare.uint32(4 << 3), version)
  })
  writeMessage(writer, 2, operation =>
    writeMessage(operation, 2, put => {
      writeBytes(put, 1, AGREED_KEY)
      writeBytes(put, 2, Buffer.from(String(before)))
    }),
  )
  writeMessage(writer, 3, otherwise => writeMessage(otherwise, 1, range => writeBytes(range, 1, AGREED_KEY)))
  return finished(writer)
}

/** Decodes the response. Undefined if the comparison succeeded; otherwise the key's present state. */
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

/** Version 0 if the key does not exist. */
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
 * Creates the compactor of an etcd that other servers may compact, too. A server takes a turn by updating the shared
 * key, so that of all servers with the same interval only one compacts. Throws BackendError `denied` if the user may
 * not write that key.
 */
export function etcdCompactor(connection: EtcdConnection): Backend['compact'] {
  /** Version of the key when this server last read it. */
  let known: number | undefined

  /**
   * Returns whether this server is to compact. A server that does not know the version of the key reads it by a failing
   * attempt, and tries once more if the last turn is old enough.
   */
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
      // Another server has compacted further.
      if (!(error instanceof BackendError && error.code === 'compacted')) throw error
    }
  }
}
