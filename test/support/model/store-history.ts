import type { JsonObject } from '../../../src/api/meta/object.ts'
import type { AnyObject } from '../any-object.ts'
import { type Selected, type Selection, selects } from './selection.ts'

/** An object as one revision of the store has it. */
export interface StoredVersion extends Selected {
  /** `namespace/name` */
  readonly key: string
  /** Revision of the write. */
  readonly revision: number
  /** Content in the form of `contentOf`. */
  readonly content: string
  /** Content of the metadata. */
  readonly metadataContent: string
  readonly object: AnyObject
}

/** Returns the content of a version, or that of its metadata. */
export const shown = ({ content, metadataContent }: StoredVersion, metadataOnly: boolean): string =>
  metadataOnly ? metadataContent : content

/** One object's change; absent states are undefined. */
export interface StoreChange {
  readonly key: string
  readonly revision: number
  readonly before: StoredVersion | undefined
  readonly after: StoredVersion | undefined
}

/** Objects that a request selects: in one namespace or all (empty), one by name or all, and by selectors. */
export interface Extent {
  readonly namespace: string
  readonly name?: string
  readonly selection: Selection
}

/** An event as a watch has to show it. */
export interface ExpectedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: string
  readonly revision: number
  readonly version: StoredVersion
}

/**
 * All states of one resource in a store, by revision, with which responses are compared. It is read independently of
 * the servers, and without caches and connections.
 */
export class StoreHistory {
  readonly changes: StoreChange[] = []
  readonly #versions = new Map<
    string,
    (StoredVersion | { readonly revision: number; readonly key: string; readonly content: undefined })[]
  >()
  readonly #fields: Readonly<Record<string, (object: AnyObject) => string>>
  /** The newest revision of the store, whatever it changed. */
  revision = 1
  /** Why this is not the whole truth. */
  fault: string | undefined

  /** `fields`: selectable fields beyond name and namespace. */
  constructor(fields: Readonly<Record<string, (object: AnyObject) => string>> = {}) {
    this.#fields = fields
  }

  /** Revisions come in order. Without an object the key was deleted. */
  add(key: string, revision: number, object: AnyObject | undefined): void {
    const versions = this.#versions.get(key) ?? []
    this.#versions.set(key, versions)
    const before = stateOf(versions.at(-1))
    this.revision = Math.max(this.revision, revision)
    if (object === undefined && before === undefined) return
    const after = object && this.#version(key, revision, object)
    versions.push(after ?? { key, revision, content: undefined })
    this.changes.push({ key, revision, before, after })
  }

  #version(key: string, revision: number, object: AnyObject): StoredVersion {
    const { name = '', namespace = '', labels = {} } = object.metadata
    const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
    for (const [field, read] of Object.entries(this.#fields)) fields[field] = read(object)
    return {
      key,
      revision,
      content: contentOf(object),
      get metadataContent() {
        return contentOf({ metadata: object.metadata } as AnyObject)
      },
      object,
      labels,
      fields,
    }
  }

  /** The object as of a revision. */
  at(key: string, revision: number): StoredVersion | undefined {
    return stateOf(this.#versions.get(key)?.findLast(version => version.revision <= revision))
  }

  /** Revisions at which the key had the state of `revision`: from, to (Infinity: still). */
  interval(key: string, revision: number): { from: number; to: number } {
    const versions = this.#versions.get(key) ?? []
    const next = versions.findIndex(version => version.revision > revision)
    const last = next < 0 ? versions.length : next
    return { from: versions[last - 1]?.revision ?? 0, to: next < 0 ? Number.POSITIVE_INFINITY : (versions[next]?.revision ?? 0) - 1 }
  }

  /**
   * Revisions of `lo`…`hi` after which something of this resource is different, and `lo`: one for each state that there
   * was.
   */
  moments(lo: number, hi: number): number[] {
    return [lo, ...new Set(this.changes.map(({ revision }) => revision).filter(revision => revision > lo && revision <= hi))]
  }

  /** All that the extent selects as of a revision, in the store's order. */
  state(extent: Extent, revision: number): StoredVersion[] {
    const found: StoredVersion[] = []
    for (const key of [...this.#versions.keys()].sort()) {
      if (!isWithin(extent, key)) continue
      const version = this.at(key, revision)
      if (version !== undefined && selects(extent.selection, version)) found.push(version)
    }
    return found
  }

  /** Returns the events that a watch of the extent must deliver after a revision. */
  eventsAfter(extent: Extent, revision: number): ExpectedEvent[] {
    const events: ExpectedEvent[] = []
    for (const change of this.changes) {
      if (change.revision <= revision || !isWithin(extent, change.key)) continue
      const { key, before, after } = change
      const was = before !== undefined && selects(extent.selection, before)
      const is = after !== undefined && selects(extent.selection, after)
      if (is) events.push({ type: was ? 'MODIFIED' : 'ADDED', key, revision: change.revision, version: after })
      else if (was) events.push({ type: 'DELETED', key, revision: change.revision, version: before })
    }
    return events
  }
}

const stateOf = (version: StoredVersion | { readonly content: undefined } | undefined): StoredVersion | undefined =>
  version === undefined || version.content === undefined ? undefined : version

export function isWithin({ namespace, name }: Extent, key: string): boolean {
  const slash = key.indexOf('/')
  return (namespace === '' || key.slice(0, slash) === namespace) && (name === undefined || key.slice(slash + 1) === name)
}

export const keyOf = ({ metadata }: AnyObject): string => `${metadata.namespace}/${metadata.name}`

/** All of an object but its type and version, members sorted: what two servings of one state have in common. */
export function contentOf(object: AnyObject): string {
  const { kind: _, apiVersion: __, metadata, ...rest } = object
  const { resourceVersion: ___, ...others } = metadata
  const text = JSON.stringify({ ...rest, metadata: others })
  let content = contents.get(text)
  if (content === undefined) {
    content = JSON.stringify(JSON.parse(text), sorted)
    if (contents.size === MOST_CONTENTS) contents.clear()
    contents.set(text, content)
  }
  return content
}

/** Contents by text: most objects occur repeatedly in the same order. */
const contents = new Map<string, string>()
const MOST_CONTENTS = 10_000

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const object = value as JsonObject
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map(name => [name, object[name]]),
  )
}
