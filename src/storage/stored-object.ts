import type { KubeObject } from '../api/meta/object.ts'
import type { SelectableLabels } from '../meta/label-matcher.ts'
import { PackedLabels } from '../meta/packed-labels.ts'
import type { HeldValue } from './backend.ts'
import type { Charge } from './byte-budget.ts'
import { findMetadata, spliceRevision } from './json-splice.ts'
import { fewLabelsOf, metadataText, readLabels } from './own-metadata.ts'
import { parseOwn, parseOwnInTurns } from './parse-own.ts'
import type { Key, Revision } from './revision.ts'
import type { Slabs } from './slab.ts'
import type { Allocate, Attributes, Encoded, Encoder, ResourceCodec, StoredObject } from './storage.ts'

/**
 * Charge of a parsed object as a multiple of the bytes of its JSON. It takes 1.7 (a Lease) to 3 times as many. More
 * objects that are kept make garbage collection longer: creates took a tenth more time with a charge of 2.
 */
const PARSED_COST = 5
/**
 * Size in bytes from which an object keeps a buffer of its own over its part of a slab. It costs 100 bytes and saves
 * creating one at each read.
 */
const OWN_BUFFER = 1024

/** An encoding with its charge on the budget. */
type CachedEncoding = Encoded & { readonly charge: Charge }

/** Cached values made from an object's JSON. */
interface Derived {
  /** Parsed object. Undefined if it is not cached. */
  object: KubeObject | undefined
  /** Charge of `object`. Both are set together. */
  objectCharge: Charge | undefined
  /** Encodings by the id of their encoder. */
  encodings: Map<string, CachedEncoding> | undefined
  /** The encoding that was read last, which is likely to be read next. */
  recent: CachedEncoding | undefined
  /** Encoder of `recent`. */
  recentAs: Encoder | undefined
  /** Selectable fields. They are not charged. */
  fields: Readonly<Record<string, string>> | undefined
  /** First of a chain of notes, one for each owner. */
  notes: Note | undefined
}

/** A class and not a closure, to save memory: there may be as many as objects. */
class Note implements Charge {
  /** Owner, which is compared by identity. */
  readonly by: object
  /** Undefined once its object has been replaced. */
  value: object | undefined
  /** Charge on the budget. */
  readonly bytes: number
  /** Set by each read, for the budget. */
  used = false
  /** Note of another owner. */
  next: Note | undefined
  readonly #of: Derived

  constructor(by: object, value: object, bytes: number, of: Derived) {
    this.by = by
    this.value = value
    this.bytes = bytes
    this.#of = of
    this.next = of.notes
    of.notes = this
  }

  /** Removes the note from the chain, called by the budget. */
  drop(): void {
    const of = this.#of
    if (of.notes === this) of.notes = this.next
    else for (let note = of.notes; note !== undefined; note = note.next) if (note.next === this) note.next = this.next
  }
}

/** Overhead of a note in bytes. */
const NOTE_COST = 160

/**
 * An object of a store or cache: its response JSON, and values made from it. There may be a million, so rarely used
 * values are made on demand and common ones are shared.
 */
export class Stored implements StoredObject, Attributes {
  readonly key: Key
  readonly revision: Revision
  /** Codec that has read the JSON. It parses and encodes the object. */
  readonly codec: ResourceCodec
  /** Memory that holds the JSON: exactly its bytes, or a slab that has them from `#at` on. */
  #bytes: Buffer
  #at: number
  #size: number
  /** Twice the offset at which the type header ends, plus one if the bytes are verbatim. */
  readonly #form: number
  #labels: SelectableLabels | undefined
  #indexed: string | undefined
  #derived: Derived | undefined
  /** Size in bytes of the encoding of the encoder that transcodes; 0 if it is unknown. */
  #transcoded = 0

  constructor(key: Key, revision: Revision, codec: ResourceCodec, json: Encoded) {
    this.key = key
    this.revision = revision
    this.codec = codec
    this.#bytes = json.bytes
    this.#at = 0
    this.#size = json.bytes.length
    this.#form = 2 * json.header + (json.verbatim === true ? 1 : 0)
    this.#labels = undefined
    this.#indexed = undefined
    this.#derived = undefined
  }

  /** Creates an object from a stored value. Throws StorageError `corrupt` with the fault. */
  static read(key: Key, revision: Revision, codec: ResourceCodec, value: Buffer, allocate?: Allocate): Stored {
    return new Stored(key, revision, codec, codec.fromStorage(value, key, revision, allocate))
  }

  /**
   * Creates an object whose JSON is in the memory of its stored value. Undefined if the value has to be read by `read`.
   */
  static keep(key: Key, revision: Revision, codec: ResourceCodec, held: HeldValue): Stored | undefined {
    const placed = codec.fromHeld(held, revision)
    if (placed === undefined) return undefined
    held.keep()
    const { at, size, header, verbatim } = placed
    const kept = new Stored(key, revision, codec, { bytes: held.memory, header, verbatim })
    kept.#at = at
    kept.#size = size
    if (size >= OWN_BUFFER) kept.#bytes = held.memory.subarray(at, at + size)
    return kept
  }

  /** `read` in turns if the value is large and has to be decoded. */
  static readInTurns(key: Key, revision: Revision, codec: ResourceCodec, value: Buffer): Stored | Promise<Stored> {
    const ready = codec.prepare(value, key, revision)
    return ready ? ready.then(() => Stored.read(key, revision, codec, value)) : Stored.read(key, revision, codec, value)
  }

  /** Size of the JSON in bytes. */
  get size(): number {
    return this.#size
  }

  /** The memory that holds the JSON, perhaps together with that of other objects. */
  get slab(): ArrayBufferLike {
    return this.#bytes.buffer
  }

  /** Returns exactly the bytes of the JSON. For small objects in a slab each call makes a new buffer. */
  #view(): Buffer {
    return this.#bytes.length === this.#size ? this.#bytes : this.#bytes.subarray(this.#at, this.#at + this.#size)
  }

  /** The bytes are shared with the object. */
  json(): Encoded {
    return { bytes: this.#view(), header: this.#form >> 1, verbatim: (this.#form & 1) === 1 }
  }

  /** Made on first use: most objects of a large cache are never parsed or encoded. */
  #made(): Derived {
    this.#derived ??= {
      object: undefined,
      objectCharge: undefined,
      encodings: undefined,
      recent: undefined,
      recentAs: undefined,
      fields: undefined,
      notes: undefined,
    }
    return this.#derived
  }

  /** Parses the JSON. It was normalised when it was read or written, so it needs no decoding. */
  object(): KubeObject {
    const derived = this.#made()
    if (derived.object !== undefined) {
      if (derived.objectCharge) derived.objectCharge.used = true
      return derived.object
    }
    return this.#hold(derived, parseOwn(this.#view()))
  }

  /** A call while another parses parses too, but both resolve with one object. */
  objectInTurns(): Promise<KubeObject> | undefined {
    if (this.#derived?.object !== undefined) return undefined
    return parseOwnInTurns(this.#view())?.then(object => {
      const derived = this.#made()
      return derived.object ?? this.#hold(derived, object)
    })
  }

  /** Keeps the parsed object, at its estimated cost in memory, until the budget drops it. */
  #hold(derived: Derived, object: KubeObject): KubeObject {
    derived.object = object
    derived.objectCharge = {
      bytes: PARSED_COST * this.#size,
      used: false,
      drop: () => {
        derived.object = undefined
        derived.objectCharge = undefined
      },
    }
    this.codec.derived.add(derived.objectCharge)
    return object
  }

  /**
   * Discards values made from this state after another has replaced it: history and late watchers need only its bytes.
   * Their charges remain until the budget inspects them.
   */
  retire(): void {
    const derived = this.#derived
    if (derived === undefined) return
    derived.object = undefined
    derived.encodings = undefined
    derived.recent = undefined
    derived.recentAs = undefined
    for (let note = derived.notes; note !== undefined; note = note.next) note.value = undefined
    derived.notes = undefined
  }

  /** Returns the object for a single use, without caching it. */
  #glance(): KubeObject {
    return this.#derived?.object ?? parseOwn(this.#view())
  }

  encoded(as: Encoder): Encoded {
    const derived = this.#made()
    const kept = this.#known(as)
    if (kept !== undefined) {
      kept.charge.used = true
      derived.recent = kept
      derived.recentAs = as
      return kept
    }
    // A client that reads this encoding reads it again. Caching the parsed object too would only take its memory.
    const encoded = copied(as.transcode?.(this.json())) ?? as.encode(this.#glance())
    derived.encodings ??= new Map()
    const charge: Charge = { bytes: encoded.bytes.length + 200, used: false, drop: () => forget(derived, as) }
    derived.encodings.set(as.id, { bytes: encoded.bytes, header: encoded.header, charge })
    this.codec.derived.add(charge)
    return encoded
  }

  /** Counts as a use of the encoding. */
  kept(id: string): Encoded | undefined {
    const kept = this.#derived?.encodings?.get(id)
    if (kept !== undefined) kept.charge.used = true
    return kept
  }

  noted(by: object): unknown {
    let note = this.#derived?.notes
    while (note !== undefined && note.by !== by) note = note.next
    if (note === undefined) return undefined
    note.used = true
    return note.value
  }

  /** Replaces the note of the same owner. */
  note(by: object, value: object, bytes: number): void {
    const derived = this.#made()
    for (let note = derived.notes; note !== undefined; note = note.next) if (note.by === by) note.drop()
    this.codec.derived.add(new Note(by, value, bytes + NOTE_COST, derived))
  }

  /** Looks up an encoding without counting a use. */
  #known(as: Encoder): CachedEncoding | undefined {
    const derived = this.#derived
    return derived?.recentAs === as ? derived.recent : derived?.encodings?.get(as.id)
  }

  /** Prefers a cached encoding, but does not count as its use. */
  passing(as: Encoder): Encoded {
    return this.#known(as) ?? as.transcode?.(this.json()) ?? as.encode(this.#glance())
  }

  /** Encodes and caches the object, unless the encoder transcodes: then only the size is kept. */
  sizeOf(as: Encoder): number {
    if (as.transcode === undefined) return this.encoded(as).bytes.length
    if (this.#transcoded === 0) this.#transcoded = this.passing(as).bytes.length
    return this.#transcoded
  }

  attributes(): Attributes {
    return this
  }

  get namespace(): string {
    return metadataText(this.#view(), this.#form >> 1, 'namespace')
  }

  get name(): string {
    return metadataText(this.#view(), this.#form >> 1, 'name')
  }

  get uid(): string {
    return metadataText(this.#view(), this.#form >> 1, 'uid')
  }

  /** Reads the labels at the first call, without parsing the object. */
  get labels(): SelectableLabels {
    this.#labels ??= readLabels(this.#view(), this.#form >> 1)
    return this.#labels
  }

  /** Parses the object at the first call, unless it is cached. */
  get fields(): Readonly<Record<string, string>> {
    const derived = this.#made()
    derived.fields ??= this.codec.attributes(this.#glance()).fields
    return derived.fields
  }

  /** Value of the field that the resource is indexed by; empty if the object has none. */
  get indexed(): string {
    this.#indexed ??= this.codec.indexed?.(this.json()) ?? ''
    return this.#indexed
  }

  /** Reads the labels, unless they are very many, and the indexed field, so that selectors need not do it later. */
  prepare(): void {
    this.#labels ??= fewLabelsOf(this.#view(), this.#form >> 1)
    this.#indexed ??= this.codec.indexed?.(this.json()) ?? ''
  }

  /** Returns the same content at another revision. The event of a deletion shows the last state that way. */
  at(revision: Revision): Stored {
    const bytes = this.#view()
    const header = this.#form >> 1
    const metadata = findMetadata(bytes, header)
    const order = header > 1 ? 'struct' : 'sorted'
    const other = new Stored(this.key, revision, this.codec, { bytes: spliceRevision(bytes, metadata, revision, order), header })
    other.#labels = this.#labels
    other.#indexed = this.#indexed
    return other
  }

  /**
   * Returns the object for another server with an equivalent codec. Both share the bytes and the attributes for
   * selectors, and make other values by themselves.
   */
  sharedWith(codec: ResourceCodec): Stored {
    const other = new Stored(this.key, this.revision, codec, {
      bytes: this.#bytes,
      header: this.#form >> 1,
      verbatim: (this.#form & 1) === 1,
    })
    other.#at = this.#at
    other.#size = this.#size
    other.#labels = this.#labels
    other.#indexed = this.#indexed
    return other
  }

  /** Moves the JSON into a slab if it is not in one. Readers of the old bytes can continue to use them. */
  keepIn(slabs: Slabs): void {
    const view = this.#view()
    const part = slabs.holds(view) ? view : slabs.keep(view)
    // They are read where the object was, and would retain that memory.
    if (part !== view && this.#labels instanceof PackedLabels) this.#labels = undefined
    const small = this.#size < OWN_BUFFER && slabs.isCurrent(part.buffer)
    this.#bytes = small ? slabs.current : part
    this.#at = part.byteOffset
  }
}

const copied = (passing: Encoded | undefined): Encoded | undefined =>
  passing && { bytes: Buffer.from(passing.bytes), header: passing.header }

/** Drops an encoding, also if it is the one that was read last. */
function forget(derived: Derived, as: Encoder): void {
  derived.encodings?.delete(as.id)
  derived.recent = undefined
  derived.recentAs = undefined
}
