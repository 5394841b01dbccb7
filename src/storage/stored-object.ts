import type { KubeObject } from '../meta/object.ts'
import { ByteBudget, type Charge } from './byte-budget.ts'
import { findMetadata, spliceRevision } from './json-splice.ts'
import { parseOwn } from './parse-own.ts'
import type { Key, Revision } from './revision.ts'
import type { Slabs } from './slab.ts'
import type { Attributes, Encoded, Encoder, ResourceCodec, StoredObject } from './storage.ts'

/** A parsed object takes about this many times the bytes of its JSON. */
const parsedCost = 5

/** Parsed objects and other encodings that are kept for the next reader, of all resources together. */
export const derivedBudget = new ByteBudget(48 << 20)

type Kept = Encoded & { readonly charge: Charge }

/** An object of a store or cache: its response JSON, and whatever was made from it. */
export class Stored implements StoredObject {
  readonly key: Key
  readonly revision: Revision
  readonly codec: ResourceCodec
  #json: Encoded
  #attributes: Attributes | undefined
  #object: KubeObject | undefined
  #objectCharge: Charge | undefined
  #encodings: Map<string, Kept> | undefined
  /** What was asked for last is likely to be asked for next. */
  #recent: Kept | undefined
  #recentAs: Encoder | undefined

  constructor(key: Key, revision: Revision, codec: ResourceCodec, json: Encoded, attributes?: Attributes) {
    this.key = key
    this.revision = revision
    this.codec = codec
    this.#json = json
    this.#attributes = attributes
  }

  /** From what the store holds. Throws StorageError `corrupt` with the fault. */
  static read(key: Key, revision: Revision, codec: ResourceCodec, value: Buffer): Stored {
    return new Stored(key, revision, codec, codec.fromStorage(value, key, revision))
  }

  json(): Encoded {
    return this.#json
  }

  /** The JSON has been normalised when it was read or written, so it is only parsed. */
  object(): KubeObject {
    if (this.#object !== undefined) {
      if (this.#objectCharge) this.#objectCharge.used = true
      return this.#object
    }
    const object = parseOwn(this.#json.bytes)
    this.#object = object
    this.#objectCharge = {
      bytes: parsedCost * this.#json.bytes.length,
      used: false,
      drop: () => {
        this.#object = undefined
        this.#objectCharge = undefined
      },
    }
    derivedBudget.add(this.#objectCharge)
    return object
  }

  encoded(as: Encoder): Encoded {
    const kept = this.#recentAs === as ? this.#recent : this.#encodings?.get(as.id)
    if (kept !== undefined) {
      kept.charge.used = true
      this.#recent = kept
      this.#recentAs = as
      return kept
    }
    // Who reads this form does so again: the object itself would only take its place.
    const encoded = as.encode(this.#object ?? parseOwn(this.#json.bytes))
    this.#encodings ??= new Map()
    const charge: Charge = { bytes: encoded.bytes.length + 200, used: false, drop: () => this.#forget(as) }
    this.#encodings.set(as.id, { bytes: encoded.bytes, header: encoded.header, charge })
    derivedBudget.add(charge)
    return encoded
  }

  #forget(as: Encoder): void {
    this.#encodings?.delete(as.id)
    this.#recent = undefined
    this.#recentAs = undefined
  }

  attributes(): Attributes {
    this.#attributes ??= this.codec.attributes(this.#object ?? parseOwn(this.#json.bytes))
    return this.#attributes
  }

  /** The same content at another revision: a deletion's event shows the last state so. */
  at(revision: Revision): Stored {
    const { bytes, header } = this.#json
    const metadata = findMetadata(bytes, header)
    const order = header > 1 ? 'struct' : 'sorted'
    return new Stored(this.key, revision, this.codec, { bytes: spliceRevision(bytes, bytes.length, metadata, revision, order), header }, this.#attributes)
  }

  /** Moves the JSON into a slab. Readers of the bytes before keep those. */
  keepIn(slabs: Slabs): void {
    this.#json = { ...this.#json, bytes: slabs.keep(this.#json.bytes) }
  }
}
