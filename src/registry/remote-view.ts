import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { RemoteConverter, ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJson } from '../codec/json.ts'
import { defined } from '../lib/invariant.ts'
import { mapInSlices } from '../lib/slices.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { KubeObject } from '../meta/object.ts'
import { parseOwn } from '../storage/parse-own.ts'
import type { StorageEvent, StoredObject, Watcher } from '../storage/storage.ts'
import { CacheFill } from './cache-fill.ts'
import { ConvertedObject } from './converted-object.ts'
import { ConversionError } from './errors.ts'
import { mappedWatcher } from './mapped-watcher.ts'
import { PerVersion } from './per-version.ts'
import { isOfVersion } from './stored-version.ts'

/** Objects of one call, and their bytes: what is sent and what comes back is in memory at once. */
const AT_ONCE = 500
const BYTES_AT_ONCE = 4 << 20
/** Objects that are looked at before the event loop may have its turn. */
const LOOK = 500

/**
 * The stored objects of a resource in a version, converted by a webhook. Lists and watches share one conversion of an object, as they share the watch cache: its bytes are kept with the
 * object, within the byte budget of derived encodings, and one view is shared while it is used, so that watches share frames.
 */
export class RemoteView {
  readonly version: Version
  readonly fill = new CacheFill(stored => this.objects(stored))
  private readonly converter: RemoteConverter
  private readonly id: string
  private readonly isOfVersion: (stored: StoredObject) => boolean
  private readonly shown = new WeakMap<StoredObject, WeakRef<ConvertedObject>>()
  private readonly coming = new Map<StoredObject, Promise<StoredObject>>()
  private readonly batches = new WeakMap<readonly StorageEvent[], Promise<readonly StorageEvent[]>>()

  constructor(version: Version, converter: RemoteConverter) {
    this.version = version
    this.converter = converter
    const apiVersion = apiVersionOfVersion(version)
    this.id = `remote;${apiVersion}`
    this.isOfVersion = isOfVersion(apiVersion)
  }

  /** Calls the webhook, whatever it has made of the object before: it may have changed since. Throws a ConversionError. */
  async object(stored: StoredObject): Promise<StoredObject> {
    if (this.isOfVersion(stored)) return stored
    const [bytes] = await this.call([stored])
    return new ConvertedObject(stored, this.version, there(bytes), { isShared: false })
  }

  /** The object as the watch cache shows it: converted once. Throws a ConversionError. */
  async cachedObject(stored: StoredObject): Promise<StoredObject> {
    return this.ready(stored) ?? there(this.convert([stored])[0])
  }

  /** Likewise for many: those that are not known are converted some hundreds in a call, one call at a time. */
  async objects(stored: readonly StoredObject[]): Promise<StoredObject[]> {
    const found = new Map<StoredObject, StoredObject>()
    let missing: StoredObject[] = []
    let bytes = 0
    const convertMissing = async (): Promise<void> => {
      const group = missing
      missing = []
      bytes = 0
      const converted = await this.group(group)
      for (const [i, stored] of group.entries()) found.set(stored, there(converted[i]))
    }
    for (const [i, object] of stored.entries()) {
      if (i % LOOK === LOOK - 1 && turnIsSpent()) await nextTurn()
      if (found.has(object)) continue
      const ready = this.ready(object)
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

  /** One call for all of them. If it fails, each is converted by itself, as upstream always does: what is wrong with a batch need not be wrong with any object. */
  private async group(group: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    try {
      return await Promise.all(this.convert(group))
    } catch (error) {
      if (!(error instanceof ConversionError) || group.length === 1) throw error
      const converted: StoredObject[] = []
      for (const stored of group) converted.push(await this.cachedObject(stored))
      return converted
    }
  }

  /** A watcher whose events are in this version, in their order. Ends with the ConversionError of an event. */
  watcher(watcher: Watcher): Watcher {
    return mappedWatcher(watcher, events => this.batch(events))
  }

  private batch(events: readonly StorageEvent[]): Promise<readonly StorageEvent[]> {
    let batch = this.batches.get(events)
    if (!batch) {
      batch = this.convertEvents(events)
      this.batches.set(events, batch)
    }
    return batch
  }

  private async convertEvents(events: readonly StorageEvent[]): Promise<readonly StorageEvent[]> {
    const objects = await this.objects(events.flatMap(event => (event.type === 'bookmark' ? [] : event.object)))
    let next = 0
    return events.map(event => {
      if (event.type === 'bookmark') return event
      const object = there(objects[next++])
      return object === event.object ? event : { ...event, object }
    })
  }

  /** What needs no call: the object itself where it is of the version, or what was made of it before. */
  private ready(stored: StoredObject): StoredObject | undefined {
    if (this.isOfVersion(stored)) return stored
    const shown = this.shown.get(stored)?.deref()
    if (shown) return shown
    const kept = stored.kept(this.id)
    return kept && this.show(stored, kept.bytes)
  }

  private show(stored: StoredObject, bytes: Buffer): ConvertedObject {
    const object = new ConvertedObject(stored, this.version, bytes)
    this.shown.set(stored, new WeakRef(object))
    return object
  }

  /** In one call, but for those that are being converted already. */
  private convert(group: readonly StoredObject[]): Promise<StoredObject>[] {
    const fresh = group.filter(stored => !this.coming.has(stored))
    if (fresh.length > 0) {
      const answer = this.call(fresh)
      for (const [i, stored] of fresh.entries()) {
        const one = answer.then(converted => this.remember(stored, there(converted[i])))
        this.coming.set(stored, one)
        const done = () => this.coming.delete(stored)
        one.then(done, done)
      }
    }
    return group.map(stored => there(this.coming.get(stored)))
  }

  private remember(stored: StoredObject, bytes: Buffer): StoredObject {
    stored.encoded({ id: this.id, encode: () => ({ bytes, header: 1 }) })
    return this.show(stored, bytes)
  }

  /** The objects as JSON of the version. */
  private async call(group: readonly StoredObject[]): Promise<Buffer[]> {
    const objects = await mapInSlices(group, stored => withoutRevision(parseOwn(stored.json().bytes)))
    const converted = await this.converter.convert(objects, this.version)
    return mapInSlices(
      converted.map((object, i) => ({ object, stored: there(group[i]) })),
      ({ object, stored }) => encodeJson(this.version.schema, { ...object, metadata: { ...object.metadata, resourceVersion: String(stored.revision) } }),
    )
  }
}

/** A converter gives as many objects as it was given, in their order. */
const there = <T>(object: T | undefined): T => defined(object, 'a converter has left out an object')

/** The converter gets an object as the store has it. */
export function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const views = new PerVersion<RemoteView>()

/** One for each version, kept with the definition. */
export const remoteViewOf = (definition: ResourceDefinition, version: Version, converter: RemoteConverter): RemoteView =>
  views.of(definition, version, () => new RemoteView(version, converter))
