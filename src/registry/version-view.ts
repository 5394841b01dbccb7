import type { KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJson, encodeJsonInSteps } from '../codec/json.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import { LARGE_BYTES, parseOwn, parseOwnInSteps, parseOwnInTurns } from '../storage/parse-own.ts'
import type { Key, Revision } from '../storage/revision.ts'
import type { Attributes, Encoded, Encoder, StorageEvent, StoredObject, Watcher } from '../storage/storage.ts'
import { convertInSteps, copyIn, normalized, normalizedInSteps, versionsOf } from './conversion/convert.ts'
import { PerVersion } from './per-version.ts'
import { registryFormOf } from './registry-form.ts'
import { isOfVersion } from './stored-version.ts'

/** Options of a view. */
interface ViewOptions {
  /** Whether objects that are stored in the version are returned as they are. Defaults to false. */
  readonly passesOwn?: boolean
}

/**
 * View of a resource's stored objects in a version other than the storage version. The bytes of an object are encoded
 * once for each version and kept with the stored object, within the byte budget of derived encodings. Each object and
 * each batch of events has one view in a version, so that caches by identity, such as watch frames, work as in the
 * storage version.
 */
export class VersionView {
  readonly #definition: ResourceDefinition
  readonly #version: Version
  readonly #json: Encoder
  readonly #header: number
  readonly #passes: (stored: StoredObject) => boolean
  readonly #objects = new WeakMap<StoredObject, ViewedObject>()
  readonly #batches = new WeakMap<readonly StorageEvent[], readonly StorageEvent[]>()
  readonly #encoders = new WeakMap<Encoder, Encoder>()

  constructor(definition: ResourceDefinition, version: Version, { passesOwn = false }: ViewOptions = {}) {
    this.#definition = definition
    this.#version = version
    const apiVersion = apiVersionOfVersion(version)
    this.#passes = passesOwn ? isOfVersion(apiVersion) : () => false
    this.#header = registryFormOf(version.schema).headerBytes(version.kind, apiVersion)
    this.#json = {
      id: `json;${apiVersion}`,
      encode: object => ({ bytes: encodeJson(version.schema, this.#converted(object)), header: this.#header }),
    }
  }

  /** Returns an object in the version. The same stored object has the same view. */
  object(stored: StoredObject): StoredObject {
    if (this.#passes(stored)) return stored
    let view = this.#objects.get(stored)
    if (!view) {
      view = new ViewedObject(stored, {
        json: this.#json,
        encoderOf: as => this.#encoder(as),
        encodedInSteps: bytes => this.#encodedInSteps(bytes),
      })
      this.#objects.set(stored, view)
    }
    return view
  }

  /** Returns a watcher that delivers events in the version. */
  watcher(watcher: Watcher): Watcher {
    return {
      close: slow => watcher.close(slow),
      deliver: (take, joined, begun) => watcher.deliver((events, own) => take(this.#batch(events), own), joined, begun),
    }
  }

  /** Returns a batch in the version. The same batch has the same view, since many watchers share it. */
  #batch(events: readonly StorageEvent[]): readonly StorageEvent[] {
    let viewed = this.#batches.get(events)
    if (!viewed) {
      viewed = events.map(event => (event.type === 'bookmark' ? event : { ...event, object: this.object(event.object) }))
      this.#batches.set(events, viewed)
    }
    return viewed
  }

  /** Returns a converted copy. The stored object is not changed. */
  #converted(object: KubeObject): KubeObject {
    return normalized(this.#version, copyIn(this.#definition, object, this.#version))
  }

  /** Encodes the stored JSON in the version, in steps. The result equals that of the encoder `json`. */
  *#encodedInSteps({ bytes }: Encoded): Steps<Encoded> {
    const object = yield* parseOwnInSteps(bytes)
    yield
    const from = versionsOf(this.#definition).get(object.apiVersion) ?? this.#version
    const converted = yield* convertInSteps(this.#definition, object, from, this.#version)
    yield
    const normal = yield* normalizedInSteps(this.#version, converted)
    yield
    const encoded = { bytes: yield* encodeJsonInSteps(this.#version.schema, normal), header: this.#header }
    yield
    return encoded
  }

  /** Wraps an encoder of this version so that it accepts objects of the storage version. */
  #encoder(as: Encoder): Encoder {
    let encoder = this.#encoders.get(as)
    if (!encoder) {
      encoder = { id: `${apiVersionOfVersion(this.#version)};${as.id}`, encode: object => as.encode(this.#converted(object)) }
      this.#encoders.set(as, encoder)
    }
    return encoder
  }
}

/** The encoders of a view. */
interface ViewEncoding {
  /** Encoder of JSON in the version. */
  readonly json: Encoder
  /** Wraps an encoder of the version so that it accepts objects of the storage version. */
  encoderOf(as: Encoder): Encoder
  /** Encodes stored JSON in the version of the view. */
  encodedInSteps(stored: Encoded): Steps<Encoded>
}

/** A stored object in another version. Encodings and notes are kept with the stored object. */
class ViewedObject implements StoredObject {
  readonly #stored: StoredObject
  readonly #as: ViewEncoding
  #making: Promise<void> | undefined

  constructor(stored: StoredObject, as: ViewEncoding) {
    this.#stored = stored
    this.#as = as
  }

  get key(): Key {
    return this.#stored.key
  }

  get revision(): Revision {
    return this.#stored.revision
  }

  json(): Encoded {
    return this.#stored.encoded(this.#as.json)
  }

  ready(): Promise<void> | undefined {
    const json = this.#stored.json()
    if (json.bytes.length < LARGE_BYTES || this.#stored.kept(this.#as.json.id) !== undefined) return undefined
    this.#making ??= this.#make(json)
    return this.#making
  }

  /** Encodes a large object in turns, and keeps the result with the stored object, where `json` finds it. */
  async #make(json: Encoded): Promise<void> {
    try {
      const encoded = await runInTurns(this.#as.encodedInSteps(json))
      this.#stored.encoded({ id: this.#as.json.id, transcode: () => encoded, encode: () => encoded })
    } finally {
      this.#making = undefined
    }
  }

  /** Parses the JSON at each call. Only writes and Tables need the object. */
  object(): KubeObject {
    return parseOwn(this.json().bytes)
  }

  objectInTurns(): Promise<KubeObject> | undefined {
    const ready = this.ready()
    return ready ? ready.then(() => parseOwnInTurns(this.json().bytes) ?? this.object()) : parseOwnInTurns(this.json().bytes)
  }

  noted(by: object): unknown {
    return this.#stored.noted?.(by)
  }

  note(by: object, value: object, bytes: number): void {
    this.#stored.note?.(by, value, bytes)
  }

  encoded(as: Encoder): Encoded {
    return this.#stored.encoded(this.#as.encoderOf(as))
  }

  kept(id: string): Encoded | undefined {
    return this.#stored.kept(id)
  }

  passing(as: Encoder): Encoded {
    return this.#stored.passing(this.#as.encoderOf(as))
  }

  sizeOf(as: Encoder): number {
    return this.#stored.sizeOf(this.#as.encoderOf(as))
  }

  attributes(): Attributes {
    return this.#stored.attributes()
  }
}

const views = new PerVersion<VersionView>()

/** Returns the view of a version. Undefined for the storage version, which needs none. */
export function versionViewOf(definition: ResourceDefinition, version: Version): VersionView | undefined {
  return version === definition.storage?.version ? undefined : views.of(definition, version, () => new VersionView(definition, version))
}

/** Replaces the field names of a selector by those of the storage version. */
export function storedTerms({ fieldAliases }: Version, terms: readonly FieldTerm[]): readonly FieldTerm[] {
  if (fieldAliases === undefined || terms.length === 0) return terms
  return terms.map(term => ({
    ...term,
    field: (Object.hasOwn(fieldAliases, term.field) ? fieldAliases[term.field] : undefined) ?? term.field,
  }))
}
