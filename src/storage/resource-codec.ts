import { createHash } from 'node:crypto'
import { JsonSyntaxError, parseJson } from '../codec/json.ts'
import { errorMessage } from '../lib/error-message.ts'
import { invariant } from '../lib/invariant.ts'
import { isSteps, resultOf, runAtOnce, type Steps } from '../lib/steps.ts'
import type { Json, KubeObject } from '../meta/object.ts'
import { ByteBudget, DERIVED_BYTES } from './byte-budget.ts'
import { findMetadata, type MemberOrder, memberAt, spliceRevision, startsWith, textAt } from './json-splice.ts'
import { parseOwn } from './parse-own.ts'
import type { Key, Revision } from './revision.ts'
import { SharedValues } from './shared-values.ts'
import type { Allocate, Attributes, Encoded, ResourceCodec } from './storage.ts'
import { StorageError } from './storage.ts'
import { identity } from './value/identity.ts'
import { type Opened, TransformError, type Transformer } from './value/transformer.ts'

export interface CodecOptions {
  /** Of the storage version. */
  readonly kind: string
  readonly apiVersion: string
  /** Compact JSON of an object as Go writes it: `{"kind":…,"apiVersion":…,"metadata":{…}…}`, nothing after the last brace. At once or in steps. */
  encode(object: KubeObject): Buffer | Steps<Buffer>
  /**
   * Optional. Members of the metadata that a write has left empty, as JSON: `"labels":{}`. They are stored without the mark, and read as absent, so that the next write of the object
   * always takes effect.
   */
  emptyMetadata?(object: KubeObject): string
  /** Of parsed JSON in any version that was ever stored: decodes, converts to the storage version, prunes, defaults. */
  decode(value: Json): KubeObject
  attributes(object: KubeObject): Attributes
  /** The path of the string field that the resource is indexed by. */
  readonly indexedPath?: readonly string[]
  /**
   * Names the schema and program version that normalised what is stored. Stored bytes carry it as trailing space, which JSON ignores; only bytes with the
   * mark pass through unread. Without it, whatever has this program's layout and ends without a newline (kube-apiserver writes one) does.
   */
  readonly fingerprint?: string
  /** Optional. Whether reading adds nothing to what is stored of the object: otherwise its bytes have no mark. */
  readonly isComplete?: (object: KubeObject) => boolean
  /** `sorted`: as kube-apiserver writes custom resources; there is no type header, and lists carry kind and apiVersion in each item. */
  readonly order?: MemberOrder
  /** Kube-apiserver's binary envelope (`k8s\0`), which is always readable where it is given. */
  readonly binary?: {
    decode(stored: Buffer): KubeObject
    encode(object: KubeObject): Buffer | Steps<Buffer>
    /** Objects are stored so. Each is read when it is met: no mark shows who wrote it. */
    readonly isWritten: boolean
  }
  /** What is done to all of it on its way to the store and back. Default: nothing. */
  readonly transformer?: Transformer
  /** Bounds what is made of the objects and kept. Default: one of its own. */
  readonly derived?: ByteBudget
}

const protobufMagic = Buffer.from('k8s\0')
const closeBrace = 0x7d

/** In memory of their own: bytes that live as long as a kind would keep a whole slab of Buffer's pool. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** How the objects of one version are stored and read again: as JSON, which begins with the type in the order that is asked for, through the transformer. */
export function createCodec(options: CodecOptions): ResourceCodec {
  const { order = 'struct', transformer = identity, derived = new ByteBudget(DERIVED_BYTES) } = options
  const kind = `"kind":${JSON.stringify(options.kind)},`
  const apiVersion = `"apiVersion":${JSON.stringify(options.apiVersion)},`
  const prefix = ownBytes(order === 'struct' ? `{${kind}${apiVersion}` : `{${apiVersion}`)
  const header = order === 'struct' ? prefix.length : 1
  const mark = markOf(options.fingerprint)

  /** Where this program's JSON ends in stored bytes that may pass unread; -1 for any other bytes. */
  function ownEnd(stored: Buffer): number {
    const end = stored.length - mark.length
    if (end <= prefix.length || stored[end - 1] !== closeBrace) return -1
    if (!startsWith(stored, 0, prefix)) return -1
    return mark.length === 0 || startsWith(stored, end, mark) ? end : -1
  }

  function splice(json: Buffer, end: number, revision: Revision, verbatim: boolean, allocate?: Allocate): Encoded {
    // Readers leave the header out by its length alone.
    const isTyped = startsWith(json, 0, prefix)
    if (order === 'struct' && !isTyped) throw new StorageError('corrupt', `a stored ${options.kind} does not begin with its kind and apiVersion`)
    const metadata = findMetadata(json, isTyped ? prefix.length : 1)
    if (metadata < 0) throw new StorageError('corrupt', `a stored ${options.kind} has no metadata`)
    return { bytes: spliceRevision(json, metadata, revision, order, { end, allocate }), header, verbatim }
  }

  const writes = options.binary?.isWritten ? options.binary : undefined
  const codec: ResourceCodec = {
    derived,
    encode: object => runAtOnce(codec.encodeInSteps(object)),
    *encodeInSteps(object) {
      const encoding = (writes ?? options).encode(withoutRevision(object))
      const encoded = isSteps(encoding) ? yield* encoding : encoding
      if (writes) return encoded
      invariant(order !== 'struct' || startsWith(encoded, 0, prefix), `what is stored as a ${options.kind} begins with its kind and apiVersion`)
      const empty = options.emptyMetadata?.(object) ?? ''
      if (empty !== '') return withMembers(encoded, findMetadata(encoded, 1), empty)
      return mark.length === 0 || options.isComplete?.(object) === false ? encoded : Buffer.concat([encoded, mark])
    },
    json(stored, revision, allocate) {
      const end = ownEnd(stored)
      if (end >= 0) return splice(stored, end, revision, writes === undefined, allocate)
      const object = withoutRevision(readStored(stored, options))
      const json = runAtOnce(resultOf(options.encode(object)))
      const same = writes ? runAtOnce(resultOf(writes.encode(object))).equals(stored) : isSame(json, stored)
      return splice(json, json.length, revision, same, allocate)
    },
    decode(stored, revision) {
      const object = ownEnd(stored) >= 0 ? parseOwn(stored) : readStored(stored, options)
      object.metadata.resourceVersion = String(revision)
      return object
    },
    attributes: object => options.attributes(object),
    ...(options.indexedPath && { indexed: textOf(options.indexedPath) }),
    toStorage: (encoded, key) => close(transformer, encoded, key),
    fromStorage(held, key, revision, allocate) {
      const { value, stale } = open(transformer, held, key, revision)
      try {
        const encoded = codec.json(value, revision, allocate)
        return stale ? { ...encoded, verbatim: false } : encoded
      } catch (error) {
        const text = errorMessage(error)
        throw new StorageError('corrupt', text, { key, fault: { key, kind: 'undecodable', text, revision }, cause: error })
      }
    },
  }
  return codec
}

/** Puts members first into an object that has others. `at`: offset of its brace. */
const withMembers = (json: Buffer, at: number, members: string): Buffer =>
  Buffer.concat([json.subarray(0, at + 1), Buffer.from(`${members},`), json.subarray(at + 1)])

/** Reads stored bytes that this program has not written as they are. */
function readStored(stored: Buffer, options: CodecOptions): KubeObject {
  try {
    if (startsWith(stored, 0, protobufMagic)) {
      if (!options.binary) throw new Error('it is protobuf, which is not readable for this kind')
      return options.binary.decode(stored)
    }
    const object = options.decode(parseJson(stored).value)
    if (typeof object?.metadata !== 'object' || object.metadata === null) throw new Error('it has no metadata')
    return object
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    // Upstream looks for the type before anything else.
    if (cause instanceof JsonSyntaxError) throw new StorageError('corrupt', `couldn't get version/kind; json parse error: ${cause.message}`, { cause })
    throw new StorageError('corrupt', `a stored ${options.kind} cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

/** Reads the string at a path, without parsing what is beside it. */
function textOf(path: readonly string[]): (json: Encoded) => string {
  const names = path.map(name => Buffer.from(name))
  const values = new SharedValues(text => text)
  return ({ bytes, header }) => {
    // The first member stands right after the header, as if that were the brace.
    let at = header - 1
    for (const name of names) {
      at = memberAt(bytes, at, name)
      if (at < 0) return ''
    }
    return values.of(textAt(bytes, at))
  }
}

function open(transformer: Transformer, held: Buffer, key: Key, revision: Revision): Opened {
  try {
    return transformer.fromStorage(held, key)
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    const text = error.message
    throw new StorageError('corrupt', text, { key, fault: { key, kind: 'untransformable', text, revision } })
  }
}

function close(transformer: Transformer, encoded: Buffer, key: Key): Buffer {
  try {
    return transformer.toStorage(encoded, key)
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    throw new StorageError('not transformed', error.message, { key, cause: error })
  }
}

function withoutRevision(object: KubeObject): KubeObject {
  if (object.metadata.resourceVersion === undefined) return object
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Twelve characters of white space, two bits each, or nothing. */
function markOf(fingerprint: string | undefined): Buffer {
  if (fingerprint === undefined) return Buffer.alloc(0)
  const bits = createHash('sha256').update(fingerprint).digest().readUIntBE(0, 3)
  return Buffer.from(Array.from({ length: 12 }, (_, i) => ' \t\n\r'.charCodeAt((bits >> (2 * i)) & 3)))
}

/** Equal but for space at the end. */
function isSame(json: Buffer, stored: Buffer): boolean {
  if (stored.length < json.length || json.compare(stored, 0, json.length) !== 0) return false
  for (const byte of stored.subarray(json.length)) if (!' \t\n\r'.includes(String.fromCharCode(byte))) return false
  return true
}
