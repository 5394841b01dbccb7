import { createHash } from 'node:crypto'
import type { Json, KubeObject } from '../api/meta/object.ts'
import { isCbor, parseStoredCborInSteps } from '../codec/cbor.ts'
import { JsonSyntaxError, parseJsonInSteps } from '../codec/json.ts'
import { errorMessage } from '../lib/error-message.ts'
import { invariant } from '../lib/invariant.ts'
import { runAtOnce, runIfSteps, runInTurns, type Steps } from '../lib/steps.ts'
import { unlessThrown } from '../lib/unless-thrown.ts'
import type { HeldValue } from './backend.ts'
import { ByteBudget, DERIVED_BYTES } from './byte-budget.ts'
import { findMetadata, type MemberOrder, memberAt, spliceInPlace, spliceRevision, startsWith, textAt } from './json-splice.ts'
import { LARGE_BYTES, parseOwn } from './parse-own.ts'
import type { Key, Revision } from './revision.ts'
import { SharedValues } from './shared-values.ts'
import type { Allocate, Attributes, Encoded, ResourceCodec } from './storage.ts'
import { StorageError } from './storage.ts'
import { identity } from './value/identity.ts'
import { type Opened, TransformError, type Transformer } from './value/transformer.ts'

export interface CodecOptions {
  /** Kind of the storage version. */
  readonly kind: string
  readonly apiVersion: string
  /**
   * Encodes an object as compact JSON in Go's member order: `{"kind":…,"apiVersion":…,"metadata":{…}…}`, with nothing
   * after the last brace. Runs at once or in steps.
   */
  encode(object: KubeObject): Buffer | Steps<Buffer>
  /**
   * Optional. Returns the metadata members that a write has left empty, as JSON: `"labels":{}`. The object is then
   * stored without the mark, and the members are read as absent, so that the next write of the object always takes
   * effect.
   */
  emptyMetadata?(object: KubeObject): string
  /**
   * Decodes parsed JSON of any version that was ever stored: converts it to the storage version, prunes and defaults
   * it.
   */
  decode(value: Json): KubeObject | Steps<KubeObject>
  attributes(object: KubeObject): Attributes
  /** Optional. Path of the string field that the resource is indexed by. */
  readonly indexedPath?: readonly string[]
  /**
   * Optional. Identifies the schema and program version that normalised the stored bytes. It is appended as trailing
   * white space, the mark, which JSON ignores. Only bytes with the mark are used without decoding them. If omitted, any
   * bytes with this program's layout that do not end with a newline are; kube-apiserver's end with one.
   */
  readonly fingerprint?: string
  /** Optional. Whether decoding adds nothing to the stored form of the object. If false, its bytes get no mark. */
  readonly isComplete?: (object: KubeObject) => boolean
  /**
   * Optional. `sorted` is the order in which kube-apiserver writes custom resources: there is no type header, and list
   * items have kind and apiVersion. Default: `struct`.
   */
  readonly order?: MemberOrder
  /** Optional. Kube-apiserver's binary envelope (`k8s\0`). If given, stored objects in it can be read. */
  readonly binary?: {
    decode(stored: Buffer): KubeObject | Steps<KubeObject>
    encode(object: KubeObject): Buffer | Steps<Buffer>
    /**
     * Whether objects are also written in it. Each is then decoded when it is read, because a mark cannot show which
     * program wrote it.
     */
    readonly isWritten: boolean
  }
  /** Optional. CBOR (RFC 8949) with the self-described tag. If given, stored objects in it can be read. */
  readonly cbor?: {
    encode(object: KubeObject): Buffer | Steps<Buffer>
    /** Whether objects are also written in it. Each is then decoded when it is read, as with `binary`. */
    readonly isWritten: boolean
  }
  /** Transforms stored bytes, for encryption at rest. Default: identity. */
  readonly transformer?: Transformer
  /** Budget of the caches of parsed objects and encodings. Default: a budget of its own. */
  readonly derived?: ByteBudget
}

const PROTOBUF_MAGIC = Buffer.from('k8s\0')
const CLOSE_BRACE = 0x7d

/**
 * Encodes text in memory of its own. A slice of Buffer's pool would pin a whole slab for as long as the resource
 * exists.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/**
 * Creates the codec of a storage version: objects are JSON, with the type header in the configured order, passed
 * through the transformer.
 */
export function createCodec(options: CodecOptions): ResourceCodec {
  const { transformer = identity, derived = new ByteBudget(DERIVED_BYTES) } = options
  const typeHeader = typeHeaderOf(options)
  const { order, prefix, header } = typeHeader
  const mark = markOf(options.fingerprint)
  const ownEnd = ownEndIn(prefix, mark)
  const splice = spliceIn(typeHeader)
  const complete = completeIn(typeHeader, mark, options)
  const writes = [options.binary, options.cbor].find(each => each?.isWritten)
  const large = new LargeValues(stored => normalized(stored, options, writes))
  const codec: ResourceCodec = {
    derived,
    encode: object => runAtOnce(codec.encodeInSteps(object)),
    *encodeInSteps(object) {
      const encoded = yield* runIfSteps((writes ?? options).encode(withoutRevision(object)))
      return writes ? encoded : complete(encoded, object)
    },
    json(stored, revision, allocate) {
      const end = ownEnd(stored)
      if (end >= 0) return splice(stored, end, revision, writes === undefined, allocate)
      const { json, isSame } = large.get(stored)
      return splice(json, json.length, revision, isSame, allocate)
    },
    prepareJson: stored => (stored.length < LARGE_BYTES || ownEnd(stored) >= 0 ? undefined : large.prepare(stored)),
    decode(stored, revision) {
      const object = ownEnd(stored) >= 0 ? parseOwn(stored) : runAtOnce(readStored(stored, options))
      object.metadata.resourceVersion = String(revision)
      return object
    },
    attributes: object => options.attributes(object),
    ...(options.indexedPath && { indexed: textReader(options.indexedPath) }),
    toStorage: (encoded, key) => close(transformer, encoded, key),
    fromHeld(held, revision) {
      const end = transformer.isIdentity?.() === true ? ownEnd(held.memory, held.start, held.end) : -1
      const at = end < 0 ? -1 : placeRevision(held, end, prefix.length, revision, order)
      return at < 0 ? undefined : { at, size: end - at, header, verbatim: writes === undefined }
    },
    prepare(held, key, revision) {
      if (held.length < LARGE_BYTES) return undefined
      const opened = unlessThrown(StorageError, () => open(transformer, held, key, revision))
      if (opened) large.opened.set(held, opened)
      return opened && codec.prepareJson(opened.value)
    },
    fromStorage(held, key, revision, allocate) {
      const { value, stale } = large.takeOpened(held) ?? open(transformer, held, key, revision)
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

/** Beginning of a resource's JSON. */
interface TypeHeader {
  readonly kind: string
  readonly order: MemberOrder
  readonly prefix: Buffer
  /** Length of the header that readers skip. */
  readonly header: number
}

function typeHeaderOf({ kind, apiVersion, order = 'struct' }: CodecOptions): TypeHeader {
  const version = `"apiVersion":${JSON.stringify(apiVersion)},`
  const prefix = ownBytes(order === 'struct' ? `{"kind":${JSON.stringify(kind)},${version}` : `{${version}`)
  return { kind, order, prefix, header: order === 'struct' ? prefix.length : 1 }
}

/**
 * Returns a function that completes the JSON of an object for the store: with the metadata members that the write has
 * left empty, or else with the mark.
 */
const completeIn =
  ({ kind, order, prefix }: TypeHeader, mark: Buffer, options: Pick<CodecOptions, 'emptyMetadata' | 'isComplete'>) =>
  (encoded: Buffer, object: KubeObject): Buffer => {
    invariant(order !== 'struct' || startsWith(encoded, 0, prefix), `what is stored as a ${kind} begins with its kind and apiVersion`)
    const empty = options.emptyMetadata?.(object) ?? ''
    if (empty !== '') return withMembers(encoded, findMetadata(encoded, 1), empty)
    return mark.length === 0 || options.isComplete?.(object) === false ? encoded : Buffer.concat([encoded, mark])
  }

/**
 * Returns a function that inserts the revision into the metadata of JSON, which is copied once. It throws StorageError
 * `corrupt` if readers could not find the header or the metadata.
 */
const spliceIn =
  ({ kind, order, prefix, header }: TypeHeader) =>
  (json: Buffer, end: number, revision: Revision, verbatim: boolean, allocate?: Allocate): Encoded => {
    // Readers skip the header by its length alone, so it must be there.
    const isTyped = startsWith(json, 0, prefix)
    if (order === 'struct' && !isTyped) throw new StorageError('corrupt', `a stored ${kind} does not begin with its kind and apiVersion`)
    const metadata = findMetadata(json, isTyped ? prefix.length : 1)
    if (metadata < 0) throw new StorageError('corrupt', `a stored ${kind} has no metadata`)
    return { bytes: spliceRevision(json, metadata, revision, order, { end, allocate }), header, verbatim }
  }

/**
 * Returns a function that returns the end of this program's JSON in stored bytes, from `start` to `until`, that can be
 * used without decoding; -1 for any other bytes.
 */
const ownEndIn =
  (prefix: Buffer, mark: Buffer) =>
  (stored: Buffer, start = 0, until = stored.length): number => {
    const end = until - mark.length
    if (end - start <= prefix.length || stored[end - 1] !== CLOSE_BRACE || !startsWith(stored, start, prefix)) return -1
    return mark.length === 0 || startsWith(stored, end, mark) ? end : -1
  }

/**
 * Inserts the revision into JSON in place. Returns the offset at which it begins then, or -1 if it must be copied.
 * `typed`: length of the type header.
 */
function placeRevision({ memory, start, room }: HeldValue, end: number, typed: number, revision: Revision, order: MemberOrder): number {
  const metadata = findMetadata(memory, start + typed, end)
  return metadata < 0 ? -1 : spliceInPlace(memory, { start, end, room }, metadata, revision, order)
}

/** Inserts members at the start of an object that has others. `at` is the offset of its brace. */
const withMembers = (json: Buffer, at: number, members: string): Buffer =>
  Buffer.concat([json.subarray(0, at + 1), Buffer.from(`${members},`), json.subarray(at + 1)])

/** JSON of stored bytes that this program has not written in their present form. */
interface Normalized {
  readonly json: Buffer
  /** Whether the object would be stored as the same bytes. */
  readonly isSame: boolean
}

/** Decodes stored bytes of another form, and encodes the object as JSON. */
function* normalized(stored: Buffer, options: CodecOptions, writes: Pick<CodecOptions, 'encode'> | undefined): Steps<Normalized> {
  const object = withoutRevision(yield* readStored(stored, options))
  yield
  const json = yield* runIfSteps(options.encode(object))
  yield
  return { json, isSame: writes ? (yield* runIfSteps(writes.encode(object))).equals(stored) : isSameJson(json, stored) }
}

/** Large values that are decoded in turns before they are read. */
class LargeValues {
  /** Values that were decrypted before they are read. */
  readonly opened = new WeakMap<Buffer, Opened>()
  readonly #normalize: (stored: Buffer) => Steps<Normalized>
  readonly #ready = new WeakMap<Buffer, Normalized>()

  constructor(normalize: (stored: Buffer) => Steps<Normalized>) {
    this.#normalize = normalize
  }

  /** Decodes a value in turns. A fault is left to `get`. */
  prepare(stored: Buffer): Promise<void> {
    return runInTurns(this.#normalize(stored)).then(
      made => void this.#ready.set(stored, made),
      () => {},
    )
  }

  /** Returns a decoded value, which is decoded in this call if it was not prepared. */
  get(stored: Buffer): Normalized {
    return this.#ready.get(stored) ?? runAtOnce(this.#normalize(stored))
  }

  takeOpened(held: Buffer): Opened | undefined {
    if (held.length < LARGE_BYTES) return undefined
    const opened = this.opened.get(held)
    this.opened.delete(held)
    return opened
  }
}

/** Decodes stored bytes that this program has not written in their present form. */
function* readStored(stored: Buffer, options: CodecOptions): Steps<KubeObject> {
  try {
    if (startsWith(stored, 0, PROTOBUF_MAGIC)) {
      if (!options.binary) throw new Error('it is protobuf, which is not readable for this kind')
      return yield* runIfSteps(options.binary.decode(stored))
    }
    const value = options.cbor && isCbor(stored) ? yield* parseStoredCborInSteps(stored) : (yield* parseJsonInSteps(stored)).value
    yield
    const object = yield* runIfSteps(options.decode(value))
    if (typeof object?.metadata !== 'object' || object.metadata === null) throw new Error('it has no metadata')
    return object
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    // Upstream looks for the type before it decodes anything else.
    if (cause instanceof JsonSyntaxError)
      throw new StorageError('corrupt', `couldn't get version/kind; json parse error: ${cause.message}`, { cause })
    const isMessage = startsWith(stored, 0, PROTOBUF_MAGIC) && options.binary !== undefined
    throw new StorageError('corrupt', isMessage ? errorMessage(cause) : `a stored ${options.kind} cannot be read: ${errorMessage(cause)}`, {
      cause,
    })
  }
}

/** Returns a function that reads the string at a path without parsing the members beside it. */
function textReader(path: readonly string[]): (json: Encoded) => string {
  const names = path.map(name => Buffer.from(name))
  const values = new SharedValues(text => text)
  return ({ bytes, header }) => {
    // The first member follows the header directly. Starting one byte earlier treats the header's last byte as the
    // opening brace.
    let at = header - 1
    for (const name of names) {
      at = memberAt(bytes, at, name)
      if (at < 0) return ''
    }
    return values.of(textAt(bytes, at))
  }
}

/**
 * A value that cannot be decrypted is a fault of its key, which a delete with
 * `ignoreStoreReadErrorWithClusterBreakingPotential` can remove.
 */
function open(transformer: Transformer, held: Buffer, key: Key, revision: Revision): Opened {
  try {
    return transformer.fromStorage(held, key)
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    const text = error.message
    throw new StorageError('corrupt', text, { key, fault: { key, kind: 'untransformable', text, revision } })
  }
}

/** Throws StorageError `not transformed`: nothing has been written, and a later attempt may succeed. */
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

/** Twelve white space characters of two bits each; empty without a fingerprint. */
function markOf(fingerprint: string | undefined): Buffer {
  if (fingerprint === undefined) return Buffer.alloc(0)
  const bits = createHash('sha256').update(fingerprint).digest().readUIntBE(0, 3)
  return Buffer.from(Array.from({ length: 12 }, (_, i) => ' \t\n\r'.charCodeAt((bits >> (2 * i)) & 3)))
}

/** Reports whether both are equal except for trailing space. */
function isSameJson(json: Buffer, stored: Buffer): boolean {
  if (stored.length < json.length || json.compare(stored, 0, json.length) !== 0) return false
  for (const byte of stored.subarray(json.length)) if (!' \t\n\r'.includes(String.fromCharCode(byte))) return false
  return true
}
