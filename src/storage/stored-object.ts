import type { KubeObject } from '../meta/object.ts'
import type { Charge } from './byte-budget.ts'
import { findMetadata, spliceRevision } from './json-splice.ts'
import { labelsOf, metadataText } from './own-metadata.ts'
import { parseOwn, parseOwnInTurns } from './parse-own.ts'
import type { Key, Revision } from './revision.ts'
import type { Slabs } from './slab.ts'
import type { Allocate, Attributes, Encoded, Encoder, ResourceCodec, StoredObject } from './storage.ts'

/** A parsed object takes about this many times the bytes of its JSON. */
const parsedCost = 5
/** Of so many bytes on, an object keeps a buffer of its own over its part of a slab, which costs 100 bytes and saves making one at each reading. */
const ownBuffer = 1024

type KeptEncoding = Encoded & { readonly charge: Charge }

/** What was made from an object's JSON. */
interface Derived {
  object: KubeObject | undefined
  objectCharge: Charge | undefined
  encodings: Map<string, KeptEncoding> | undefined
  /** What was asked for last is likely to be asked for next. */
  recent: KeptEncoding | undefined
  recentAs: Encoder | undefined
  fields: Readonly<Record<string, string>> | undefined
  notes: Note | undefined
}

/** No closure: there may be as many as objects. */
class Note implements Charge {
  readonly by: object
  /** Undefined once its object was replaced. */
  value: object | undefined
  readonly bytes: number
  used = false
  /** Of somebody else. */
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

  drop(): void {
    const of = this.#of
    if (of.notes === this) of.notes = this.next
    else for (let note = of.notes; note !== undefined; note = note.next) if (note.next === this) note.next = this.next
  }
}

/** Bytes of what holds a note. */
const noteCost = 160

/**
 * An object of a store or cache: its response JSON, and whatever was made from it. There may be a million: what is seldom asked for is made when it is, and
 * what many have in common is shared.
 */
export class Stored implements StoredObject, Attributes {
  readonly key: Key
  readonly revision: Revision
  readonly codec: ResourceCodec
  /** Holds the JSON: all of it, or a slab that has it from `#at` on. */
  #bytes: Buffer
  #at: number
  #size: number
  /** Where the type header ends, twice, and one more where the bytes are the stored ones. */
  readonly #form: number
  #labels: Readonly<Record<string, string>> | undefined
  #indexed: string | undefined
  #derived: Derived | undefined
  /** Bytes of what the encoder makes that transcodes; 0: not known. */
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

  /** From what the store holds. Throws StorageError `corrupt` with the fault. */
  static read(key: Key, revision: Revision, codec: ResourceCodec, value: Buffer, allocate?: Allocate): Stored {
    return new Stored(key, revision, codec, codec.fromStorage(value, key, revision, allocate))
  }

  /** Bytes of the JSON. */
  get size(): number {
    return this.#size
  }

  /** The memory that holds the JSON, and maybe that of other objects. */
  get slab(): ArrayBufferLike {
    return this.#bytes.buffer
  }

  private view(): Buffer {
    return this.#bytes.length === this.#size ? this.#bytes : this.#bytes.subarray(this.#at, this.#at + this.#size)
  }

  json(): Encoded {
    return { bytes: this.view(), header: this.#form >> 1, verbatim: (this.#form & 1) === 1 }
  }

  private made(): Derived {
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

  /** The JSON has been normalised when it was read or written, so it is only parsed. */
  object(): KubeObject {
    const derived = this.made()
    if (derived.object !== undefined) {
      if (derived.objectCharge) derived.objectCharge.used = true
      return derived.object
    }
    return this.hold(derived, parseOwn(this.view()))
  }

  objectInTurns(): Promise<KubeObject> | undefined {
    if (this.#derived?.object !== undefined) return undefined
    return parseOwnInTurns(this.view())?.then(object => {
      const derived = this.made()
      return derived.object ?? this.hold(derived, object)
    })
  }

  private hold(derived: Derived, object: KubeObject): KubeObject {
    derived.object = object
    derived.objectCharge = {
      bytes: parsedCost * this.#size,
      used: false,
      drop: () => {
        derived.object = undefined
        derived.objectCharge = undefined
      },
    }
    this.codec.derived.add(derived.objectCharge)
    return object
  }

  /** Another state has taken its place: lets go of what was made from this one, of which history and late watchers may need the bytes alone. What it was charged stays charged until its turn comes. */
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

  /** The object, for a look that need not be kept. */
  private glance(): KubeObject {
    return this.#derived?.object ?? parseOwn(this.view())
  }

  encoded(as: Encoder): Encoded {
    const derived = this.made()
    const kept = this.known(as)
    if (kept !== undefined) {
      kept.charge.used = true
      derived.recent = kept
      derived.recentAs = as
      return kept
    }
    // Who reads this form does so again: the object itself would only take its place.
    const encoded = copied(as.transcode?.(this.json())) ?? as.encode(this.glance())
    derived.encodings ??= new Map()
    const charge: Charge = { bytes: encoded.bytes.length + 200, used: false, drop: () => forget(derived, as) }
    derived.encodings.set(as.id, { bytes: encoded.bytes, header: encoded.header, charge })
    this.codec.derived.add(charge)
    return encoded
  }

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

  note(by: object, value: object, bytes: number): void {
    const derived = this.made()
    for (let note = derived.notes; note !== undefined; note = note.next) if (note.by === by) note.drop()
    this.codec.derived.add(new Note(by, value, bytes + noteCost, derived))
  }

  private known(as: Encoder): KeptEncoding | undefined {
    const derived = this.#derived
    return derived?.recentAs === as ? derived.recent : derived?.encodings?.get(as.id)
  }

  passing(as: Encoder): Encoded {
    return this.known(as) ?? as.transcode?.(this.json()) ?? as.encode(this.glance())
  }

  sizeOf(as: Encoder): number {
    if (as.transcode === undefined) return this.encoded(as).bytes.length
    if (this.#transcoded === 0) this.#transcoded = this.passing(as).bytes.length
    return this.#transcoded
  }

  attributes(): Attributes {
    return this
  }

  get namespace(): string {
    return metadataText(this.view(), this.#form >> 1, 'namespace')
  }

  get name(): string {
    return metadataText(this.view(), this.#form >> 1, 'name')
  }

  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= labelsOf(this.view(), this.#form >> 1)
    return this.#labels
  }

  get fields(): Readonly<Record<string, string>> {
    const derived = this.made()
    derived.fields ??= this.codec.attributes(this.glance()).fields
    return derived.fields
  }

  /** The value of the field that the resource is indexed by; empty where it has none. */
  get indexed(): string {
    this.#indexed ??= this.codec.indexed?.(this.json()) ?? ''
    return this.#indexed
  }

  /** Reads what is asked for most, so that who selects later need not. */
  prepare(): void {
    this.#labels ??= labelsOf(this.view(), this.#form >> 1)
    this.#indexed ??= this.codec.indexed?.(this.json()) ?? ''
  }

  /** The same content at another revision: a deletion's event shows the last state so. */
  at(revision: Revision): Stored {
    const bytes = this.view()
    const header = this.#form >> 1
    const metadata = findMetadata(bytes, header)
    const order = header > 1 ? 'struct' : 'sorted'
    const other = new Stored(this.key, revision, this.codec, { bytes: spliceRevision(bytes, metadata, revision, order), header })
    other.#labels = this.#labels
    other.#indexed = this.#indexed
    return other
  }

  /** The same for another server, whose codec reads alike: it shares the bytes, and what selectors look at. What else is made of them each makes by itself. */
  sharedWith(codec: ResourceCodec): Stored {
    const other = new Stored(this.key, this.revision, codec, { bytes: this.#bytes, header: this.#form >> 1, verbatim: (this.#form & 1) === 1 })
    other.#at = this.#at
    other.#size = this.#size
    other.#labels = this.#labels
    other.#indexed = this.#indexed
    return other
  }

  /** Moves the JSON into a slab, where it is in none. Readers of the bytes before keep those. */
  keepIn(slabs: Slabs): void {
    const view = this.view()
    const part = slabs.holds(view) ? view : slabs.keep(view)
    const small = this.#size < ownBuffer && slabs.isCurrent(part.buffer)
    this.#bytes = small ? slabs.current : part
    this.#at = part.byteOffset
  }
}

const copied = (passing: Encoded | undefined): Encoded | undefined => passing && { bytes: Buffer.from(passing.bytes), header: passing.header }

function forget(derived: Derived, as: Encoder): void {
  derived.encodings?.delete(as.id)
  derived.recent = undefined
  derived.recentAs = undefined
}
