import { isRecord, type Json, type JsonObject, type ManagedFields, ownMember } from './objects.ts'
import { pointerPart } from './yaml-lines.ts'

/** Field ownership of an object. */
export interface FieldOwners {
  /** Managers in the order of managedFields. Each combination of name, operation and subresource occurs once. */
  readonly managers: readonly Manager[]
  /** Returns the indexes of the managers that own the field at a JSON pointer. Empty if it has no owner. */
  ownersOf(path: string): readonly number[]
}

/** An entry of managedFields. `subresource` is empty for the object itself; `time` is RFC 3339, or empty. */
export interface Manager {
  readonly name: string
  readonly operation: string
  readonly subresource: string
  readonly time: string
}

/** Limit for the paths that are read. */
const MOST_PATHS = 100_000

/**
 * Resolves the field sets of `metadata.managedFields`
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/#managed-fields) in the object: `f:NAME` is a
 * member, `k:{…}` a list item with these keys, `v:…` an item with this value, `i:N` an item by index. A set without
 * members owns the field as a whole.
 */
export function fieldOwners(object: Json, managedFields: readonly ManagedFields[]): FieldOwners {
  const exact = new Map<string, number[]>()
  const whole = new Map<string, number[]>()
  let left = MOST_PATHS
  const note = (map: Map<string, number[]>, path: string, owner: number): void => {
    const owners = map.get(path)
    if (owners === undefined) map.set(path, [owner])
    else if (!owners.includes(owner)) owners.push(owner)
  }
  for (const [owner, { fieldsV1 }] of managedFields.entries()) {
    const stack: { readonly set: Json | undefined; readonly value: Json | undefined; readonly path: string }[] = [
      { set: fieldsV1, value: object, path: '' },
    ]
    const items = itemsIn()
    for (let next = stack.pop(); next !== undefined && left-- > 0; next = stack.pop()) {
      const { set, value, path } = next
      if (!isRecord(set)) continue
      const names = Object.keys(set)
      if (names.length === 0 && path !== '') note(whole, path, owner)
      for (const name of names) {
        if (name === '.') note(exact, path, owner)
        else {
          const found = items(name, value, path)
          if (found) stack.push({ set: ownMember(set, name), ...found })
        }
      }
    }
  }
  return {
    managers: managedFields.map(({ manager = '', operation = '', subresource = '', time = '' }) => ({
      name: manager,
      operation,
      subresource,
      time,
    })),
    ownersOf(path) {
      const own = exact.get(path) ?? []
      for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
        const owners = whole.get(at)
        if (owners) return [...new Set([...own, ...owners])].sort((a, b) => a - b)
      }
      return own
    },
  }
}

type FieldValue = { readonly value: Json | undefined; readonly path: string } | undefined

/** Returns a function that resolves the names of field sets. Each list is indexed once per set of keys. */
function itemsIn(): (name: string, value: Json | undefined, path: string) => FieldValue {
  const indexes = new Map<string, ReadonlyMap<string, number>>()
  return (name, value, path) => {
    const rest = name.slice(2)
    if (name.startsWith('f:'))
      return isRecord(value) && Object.hasOwn(value, rest) ? { value: value[rest], path: `${path}/${pointerPart(rest)}` } : undefined
    if (!Array.isArray(value)) return undefined
    const list = value as readonly Json[]
    const index = name.startsWith('i:') ? Number(rest) : indexIn(list, jsonOrNone(rest), name.startsWith('k:'), path, indexes)
    return index !== undefined && index in list ? { value: list[index], path: `${path}/${index}` } : undefined
  }
}

function indexIn(
  list: readonly Json[],
  wanted: Json | undefined,
  byKeys: boolean,
  path: string,
  indexes: Map<string, ReadonlyMap<string, number>>,
): number | undefined {
  if (wanted === undefined) return undefined
  const keys = byKeys && isRecord(wanted) ? Object.keys(wanted).sort() : undefined
  const id = `${path} ${keys?.join(' ') ?? ''}`
  let index = indexes.get(id)
  if (index === undefined) {
    index = new Map(list.map((item, i) => [itemIdentity(item, keys), i]))
    indexes.set(id, index)
  }
  return index.get(itemIdentity(wanted, keys))
}

const itemIdentity = (item: Json, keys: readonly string[] | undefined): string =>
  JSON.stringify(keys === undefined ? item : keys.map(key => (isRecord(item) ? (ownMember(item as JsonObject, key) ?? null) : null)))

function jsonOrNone(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
