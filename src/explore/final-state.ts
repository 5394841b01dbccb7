import { hasMembers, type ObjectMembers } from '../meta/equal.ts'

/** Objects of a store by a name that does not depend on generated names, without what differs between runs. */
export type FinalState = ReadonlyMap<string, readonly unknown[]>

/** A difference between two final states. */
export interface Difference {
  /** Object, such as `configmaps shop/web`. */
  readonly object: string
  /** Path of the field, such as `spec.replicas`. Empty for the whole object. */
  readonly path: string
  readonly expected: unknown
  readonly found: unknown
}

/** Resources that only report, or that a server keeps for itself, such as addresses that it has allocated. */
const LEFT_OUT =
  /^\/registry\/(?:events|events\.events\.k8s\.io|leases|leases\.coordination\.k8s\.io|masterleases|ipaddresses|apiregistration\.k8s\.io|flowschemas|prioritylevelconfigurations|ranges)\//
const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
/** Generated name of the volume with the token of a pod's service account. */
const TOKEN_VOLUME = /\bkube-api-access-[a-z0-9]{5}\b/g
/** Annotation of the concurrent writer. */
const CONCURRENT_WRITES = 'binnacle.dev/concurrent-writes'
const DROPPED: readonly string[] = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink']

/** A stored object. */
export interface StateObject {
  /** Such as `configmaps shop/web`. */
  readonly id: string
  readonly value: ObjectMembers
}

/** Returns the objects that the run has created or changed. `before`: the store's content at its beginning. */
export function changedObjects(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): StateObject[] {
  const objects: StateObject[] = []
  for (const [key, text] of now) {
    if (before.get(key) === text || LEFT_OUT.test(key)) continue
    const value: unknown = JSON.parse(text)
    if (hasMembers(value)) objects.push({ id: objectName(key), value })
  }
  for (const [key, text] of before)
    if (!now.has(key) && !LEFT_OUT.test(key) && text !== '') objects.push({ id: objectName(key), value: { kind: 'deleted' } })
  return objects
}

/** `/registry/configmaps/shop/web` as `configmaps shop/web`. */
const objectName = (key: string): string => {
  const parts = key
    .replace(/^\/registry\//, '')
    .replace(/^services\/specs\//, 'services/')
    .replace(/^services\/endpoints\//, 'endpoints/')
    .split('/')
  const resource = parts.length > 1 && parts[0]?.includes('.') ? `${parts[1]}.${parts[0]}` : (parts[0] ?? '')
  return `${resource} ${parts.slice(parts[0]?.includes('.') ? 2 : 1).join('/')}`
}

export const objectMetadata = ({ value }: StateObject): ObjectMembers => (hasMembers(value.metadata) ? value.metadata : {})

/**
 * Returns the state of objects without generated names, uids, times, resource versions and generations, and without the
 * fields with the paths.
 */
export function finalState(objects: readonly StateObject[], ignore: readonly string[] = []): FinalState {
  const uids = new Map<string, string>()
  const names: (readonly [string, string])[] = []
  for (const object of objects) {
    const { uid, name, generateName } = objectMetadata(object)
    if (typeof uid === 'string') uids.set(uid, `uid of ${object.id}`)
    if (typeof generateName === 'string' && generateName !== '' && typeof name === 'string' && name.startsWith(generateName))
      names.push([name, `${generateName}*`])
  }
  names.sort(([a], [b]) => b.length - a.length)
  const neutral = (text: string): string => {
    let changed = text
      .replaceAll(UID, uid => neutralUid(uids.get(uid), names))
      .replaceAll(TIME, '<time>')
      .replaceAll(TOKEN_VOLUME, 'kube-api-access-*')
    for (const [name, general] of names) if (changed.includes(name)) changed = changed.replaceAll(name, general)
    return changed
  }
  const state = new Map<string, unknown[]>()
  for (const object of objects) {
    const id = neutral(object.id)
    state.set(id, [...(state.get(id) ?? []), neutralObject(object.value, neutral, ignore)])
  }
  for (const values of state.values()) values.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return state
}

function neutralUid(owner: string | undefined, names: readonly (readonly [string, string])[]): string {
  if (owner === undefined) return '<uid>'
  let text = owner
  for (const [name, general] of names) text = text.replaceAll(name, general)
  return `<${text}>`
}

function neutralObject(object: ObjectMembers, neutral: (text: string) => string, ignore: readonly string[]): unknown {
  const generation = hasMembers(object.metadata) ? object.metadata.generation : undefined
  const walk = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return neutral(value)
    if (Array.isArray(value)) return value.map(item => walk(item, path))
    if (!hasMembers(value)) return value
    const members: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const at = path === '' ? name : `${path}.${name}`
      if (
        (path === 'metadata' && DROPPED.includes(name)) ||
        name === 'resourceVersion' ||
        name === CONCURRENT_WRITES ||
        ignore.includes(at)
      )
        continue
      if (name === 'uid') members[name] = typeof member === 'string' ? neutral(member) : member
      else if (name === 'observedGeneration') members[name] = member === generation ? 'current' : 'behind'
      else members[neutral(name)] = walk(member, at)
    }
    // The concurrent writer may have added the only annotation.
    if (hasMembers(members.annotations) && Object.keys(members.annotations).length === 0) delete members.annotations
    return members
  }
  return walk(object, '')
}

/** Differences between undisturbed runs, which are not compared. */
export class Variation {
  /** Objects whose number or presence differs. */
  readonly #objects = new Set<string>()
  readonly #paths = new Set<string>()

  /** `moments`: for each moment of the test, the states of several runs. */
  constructor(moments: readonly (readonly FinalState[])[]) {
    for (const [first, ...others] of moments)
      for (const other of others)
        for (const { object, path } of first === undefined ? [] : differences(first, other)) {
          if (path === '') this.#objects.add(object)
          else this.#paths.add(`${object} ${path}`)
        }
  }

  /** Objects and fields that differ, such as `configmaps shop/web data.color`. */
  get all(): readonly string[] {
    return [...this.#objects, ...this.#paths]
  }

  varies({ object, path }: Difference): boolean {
    return this.#objects.has(object) || [...this.#paths].some(varied => `${object} ${path}`.startsWith(varied))
  }
}

/** Compares two states. */
export function differences(expected: FinalState, found: FinalState): Difference[] {
  const differing: Difference[] = []
  for (const object of new Set([...expected.keys(), ...found.keys()])) {
    const [wanted = [], present = []] = [expected.get(object), found.get(object)]
    if (wanted.length !== present.length) {
      differing.push({ object, path: '', expected: objectCount(wanted), found: objectCount(present) })
      continue
    }
    for (const [index, value] of wanted.entries()) compareStateValues(value, present[index], { object, path: '' }, differing)
  }
  return differing
}

const objectCount = (values: readonly unknown[]): string =>
  values.length === 0 ? 'no object' : values.length === 1 ? 'an object' : `${values.length} objects`

function compareStateValues(expected: unknown, found: unknown, at: Pick<Difference, 'object' | 'path'>, differing: Difference[]): void {
  if (hasMembers(expected) && hasMembers(found) && !Array.isArray(expected) && !Array.isArray(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
      compareStateValues(expected[name], found[name], { object: at.object, path: at.path === '' ? name : `${at.path}.${name}` }, differing)
    return
  }
  if (JSON.stringify(expected) !== JSON.stringify(found)) differing.push({ ...at, expected, found })
}

/** Describes a difference in one line. */
export function describedDifference({ object, path, expected, found }: Difference): string {
  if (path === '') return `${object}: ${expected} was expected, there is ${found}`
  return `${object}: ${path} should be ${shown(expected)}, but is ${shown(found)}`
}

const shown = (value: unknown): string => {
  const text = value === undefined ? 'unset' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
