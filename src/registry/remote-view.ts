import type { KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { RemoteConverter, ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJson } from '../codec/json.ts'
import { defined } from '../lib/invariant.ts'
import { mapInSlices } from '../lib/slices.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { parseOwn } from '../storage/parse-own.ts'
import type { StorageEvent, StoredObject, Watcher } from '../storage/storage.ts'
import { CacheFill } from './cache-fill.ts'
import { ConvertedObject } from './conversion/converted-object.ts'
import { ConversionError } from './errors.ts'
import { mappedWatcher } from './mapped-watcher.ts'
import { PerVersion } from './per-version.ts'
import { isOfVersion } from './stored-version.ts'

/** Bounds of one call of the webhook, in objects and bytes of JSON: request and response are in memory together. */
const AT_ONCE = 500
const BYTES_AT_ONCE = 4 << 20
/** Objects between two checks of whether the turn of the event loop is spent. */
const LOOK = 500

/**
 * View of stored objects in a version that a webhook converts to. Lists and watches share one conversion of each
 * object. Its bytes are kept with the stored object, within the byte budget of derived encodings, and the converted
 * object is shared while it is referenced, so that watches share frames.
 */
export class RemoteView {
  readonly version: Version
  readonly fill = new CacheFill(stored => this.objects(stored))
  readonly #converter: RemoteConverter
  readonly #id: string
  readonly #isOfVersion: (stored: StoredObject) => boolean
  readonly #shown = new WeakMap<StoredObject, WeakRef<ConvertedObject>>()
  readonly #coming = new Map<StoredObject, Promise<StoredObject>>()
  readonly #batches = new WeakMap<readonly StorageEvent[], Promise<readonly StorageEvent[]>>()

  constructor(version: Version, converter: RemoteConverter) {
    this.version = version
    this.#converter = converter
    const apiVersion = apiVersionOfVersion(version)
    this.#id = `remote;${apiVersion}`
    this.#isOfVersion = isOfVersion(apiVersion)
  }

  /**
   * Converts an object by a new call of the webhook, whose result may have changed since the last one. Throws a
   * ConversionError.
   */
  async object(stored: StoredObject): Promise<StoredObject> {
    if (this.#isOfVersion(stored)) return stored
    const [bytes] = await this.#call([stored])
    return new ConvertedObject(stored, this.version, there(bytes), { isShared: false })
  }

  /**
   * Converts an object of the watch cache. Calls the webhook only if no earlier result is kept. Throws a
   * ConversionError.
   */
  async cachedObject(stored: StoredObject): Promise<StoredObject> {
    return this.#ready(stored) ?? there(this.#convert([stored])[0])
  }

  /**
   * `cachedObject` for many objects, in their order. Objects without a kept result are converted in calls of up to 500,
   * one call at a time.
   */
  async objects(stored: readonly StoredObject[]): Promise<StoredObject[]> {
    const found = new Map<StoredObject, StoredObject>()
    let missing: StoredObject[] = []
    let bytes = 0
    const convertMissing = async (): Promise<void> => {
      const group = missing
      missing = []
      bytes = 0
      const converted = await this.#group(group)
      for (const [i, stored] of group.entries()) found.set(stored, there(converted[i]))
    }
    for (const [i, object] of stored.entries()) {
      if (i > 0 && i % LOOK === 0 && turnIsSpent()) await nextTurn()
      if (found.has(object)) continue
      const ready = this.#ready(object)
      if (ready) {
        found.set(object, ready)
        continue
      }
      bytes += object.json().bytes.length
      if (missing.push(object) === AT_ONCE || bytes > BYTES_AT_ONCE) await convertMissing()
    }
    if (missing.length > 0) await convertMissing()
    return stored.map(object => there(found.get(object)))
  }

  /**
   * Converts objects in one call. If it fails, converts them one by one, as upstream always does: a webhook may reject
   * a batch but none of its objects.
   */
  async #group(group: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    try {
      return await Promise.all(this.#convert(group))
    } catch (error) {
      if (!(error instanceof ConversionError) || group.length === 1) throw error
      const converted: StoredObject[] = []
      for (const stored of group) converted.push(await this.cachedObject(stored))
      return converted
    }
  }

  /**
   * Returns a watcher that delivers events in this version, in order. If a conversion fails, the watch ends with its
   * ConversionError.
   */
  watcher(watcher: Watcher): Watcher {
    return mappedWatcher(watcher, events => this.#batch(events))
  }

  #batch(events: readonly StorageEvent[]): Promise<readonly StorageEvent[]> {
    let batch = this.#batches.get(events)
    if (!batch) {
      batch = this.#convertEvents(events)
      this.#batches.set(events, batch)
    }
    return batch
  }

  async #convertEvents(events: readonly StorageEvent[]): Promise<readonly StorageEvent[]> {
    const objects = await this.objects(events.flatMap(event => (event.type === 'bookmark' ? [] : event.object)))
    let next = 0
    return events.map(event => {
      if (event.type === 'bookmark') return event
      const object = there(objects[next++])
      return object === event.object ? event : { ...event, object }
    })
  }

  /** The object itself if it is of this version, or an earlier result. Undefined if a call is needed. */
  #ready(stored: StoredObject): StoredObject | undefined {
    if (this.#isOfVersion(stored)) return stored
    const shown = this.#shown.get(stored)?.deref()
    if (shown) return shown
    const kept = stored.kept(this.#id)
    return kept && this.#show(stored, kept.bytes)
  }

  #show(stored: StoredObject, bytes: Buffer): ConvertedObject {
    const object = new ConvertedObject(stored, this.version, bytes)
    this.#shown.set(stored, new WeakRef(object))
    return object
  }

  /** Converts objects in one call, and waits for calls in progress that include some of them. */
  #convert(group: readonly StoredObject[]): Promise<StoredObject>[] {
    const fresh = group.filter(stored => !this.#coming.has(stored))
    if (fresh.length > 0) {
      const answer = this.#call(fresh)
      for (const [i, stored] of fresh.entries()) {
        const one = answer.then(converted => this.#remember(stored, there(converted[i])))
        this.#coming.set(stored, one)
        const done = () => this.#coming.delete(stored)
        one.then(done, done)
      }
    }
    return group.map(stored => there(this.#coming.get(stored)))
  }

  #remember(stored: StoredObject, bytes: Buffer): StoredObject {
    stored.encoded({ id: this.#id, encode: () => ({ bytes, header: 1 }) })
    return this.#show(stored, bytes)
  }

  /**
   * Calls the webhook. Returns the JSON of each converted object, in order, with the resourceVersion of the stored one.
   */
  async #call(group: readonly StoredObject[]): Promise<Buffer[]> {
    const objects = await mapInSlices(group, stored => withoutRevision(parseOwn(stored.json().bytes)))
    const converted = await this.#converter.convert(objects, this.version)
    return mapInSlices(
      converted.map((object, i) => ({ object, stored: there(group[i]) })),
      ({ object, stored }) =>
        encodeJson(this.version.schema, { ...object, metadata: { ...object.metadata, resourceVersion: String(stored.revision) } }),
    )
  }
}

/** Asserts that a converter returns as many objects as it was given, in their order. */
const there = <T>(object: T | undefined): T => defined(object, 'a converter has left out an object')

/** Removes the resourceVersion: webhooks get objects as they are stored. */
export function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const views = new PerVersion<RemoteView>()

/** Returns the view of a version. It is made on first use and kept with the definition. */
export const remoteViewOf = (definition: ResourceDefinition, version: Version, converter: RemoteConverter): RemoteView =>
  views.of(definition, version, () => new RemoteView(version, converter))
