import { expect } from 'chai'
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import { ApplyError } from '../../../src/apply/apply-error.ts'
import { pathsOf } from '../../../src/apply/field-set.ts'
import { updateManagedFields } from '../../../src/apply/managed-fields.ts'
import { printElement } from '../../../src/apply/path-element.ts'
import type { FieldSet } from '../../../src/apply/set-node.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { applyConfiguration } from '../../support/at-once.ts'
import { TYPES } from './merge-table.ts'

const schema = new TypeRegistry().add({ id: 't', definition: 't', source: TYPES }).type('t.Thing')
const HEAD = { apiVersion: 'v1', kind: 'Thing' }
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z')

/** Random objects without empty values, which own themselves. */
function generator(seed: number) {
  const next = seededRandom(seed)
  const chance = (p: number): boolean => next() < p
  const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T
  const word = (): string => pick(['x', 'y', 'z'])
  const some = <T>(of: readonly T[]): T[] => {
    const taken = of.filter(() => chance(0.5)).sort(() => next() - 0.5)
    return taken.length > 0 ? taken : [pick(of)]
  }
  const members = (names: readonly string[], value: () => Json): JsonObject => Object.fromEntries(some(names).map(name => [name, value()]))
  const inner = (): JsonObject => members(['a', 'c'], word)
  const item = (name: string): JsonObject => ({
    name,
    ...(chance(0.6) && { value: word() }),
    ...(chance(0.4) && { tags: some(['t1', 't2', 't3']) }),
  })
  const fields: Record<string, () => Json> = {
    s: word,
    n: () => Math.floor(next() * 3),
    b: () => chance(0.5),
    set: () => some(['a', 'b', 'c', 'd']),
    nums: () => some([1, 2, 10]),
    plain: () => some(['a', 'b']),
    map: () => members(['k', 'l', 'm'], word),
    whole: () => members(['k', 'l'], word),
    items: () => some(['i', 'j', 'k']).map(item),
    ports: () => some([80, 443]).map(port => ({ port, protocol: pick(['TCP', 'UDP']), name: word() })),
    obj: inner,
    value: inner,
    tree: () => members(['r', 's'], inner),
    pinned: inner,
  }
  const object = (p = 0.4): JsonObject =>
    Object.fromEntries(Object.keys(fields).flatMap(name => (chance(p) ? [[name, (fields[name] as () => Json)()]] : [])))
  return { chance, pick, object }
}

/** The leaves of an object by their paths, told from this table and not from the schema. */
function leavesOf(object: JsonObject): Map<string, string> {
  const leaves = new Map<string, string>()
  const text = (value: Json): string =>
    JSON.stringify(typeof value === 'object' && !Array.isArray(value) ? Object.entries(value ?? {}).sort() : value)
  const leaf = (path: string, value: Json | undefined): unknown => value !== undefined && value !== null && leaves.set(path, text(value))
  const each = (path: string, value: Json | undefined, visit: (path: string, value: Json) => unknown): void => {
    for (const [name, member] of Object.entries((value ?? {}) as JsonObject)) visit(`${path}.${name}`, member)
  }
  const elements = (path: string, value: Json | undefined): void => {
    for (const element of (value ?? []) as Json[]) leaf(`${path}[=${JSON.stringify(element)}]`, element)
  }
  for (const name of ['s', 'n', 'b', 'plain', 'whole', 'value', 'pinned']) leaf(`.${name}`, object[name])
  for (const name of ['set', 'nums']) elements(`.${name}`, object[name])
  for (const name of ['map', 'obj']) each(`.${name}`, object[name], leaf)
  each('.tree', object.tree, (path, value) => each(path, value, leaf))
  for (const item of (object.items ?? []) as JsonObject[]) {
    const { tags, ...others } = item
    each(`.items[name=${JSON.stringify(item.name)}]`, others, leaf)
    elements(`.items[name=${JSON.stringify(item.name)}].tags`, tags)
  }
  for (const port of (object.ports ?? []) as JsonObject[])
    each(`.ports[port=${port.port},protocol=${JSON.stringify(port.protocol)}]`, port, leaf)
  return leaves
}

const fieldsOf = (object: KubeObject | undefined): JsonObject => {
  const { apiVersion: _, kind: _k, metadata: _m, ...fields } = (object ?? {}) as JsonObject
  return fields
}
const nameOf = ({ manager, operation }: ManagedFieldsEntry): string => `${manager}${operation === 'Update' ? '*' : ''}`

function ownersOf(object: KubeObject | undefined): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>()
  for (const entry of object?.metadata.managedFields ?? [])
    for (const path of pathsOf(entry.fieldsV1 as FieldSet)) {
      if (path === undefined) continue
      const text = path.map(printElement).join('')
      owners.set(text, (owners.get(text) ?? new Set()).add(nameOf(entry)))
    }
  return owners
}

const keep = (object: KubeObject, managedFields: ManagedFieldsEntry[]): KubeObject =>
  ({ ...object, metadata: { managedFields } }) as KubeObject
const apply = (live: KubeObject | undefined, body: JsonObject, manager: string, now: string, force = false): KubeObject => {
  const applied = applyConfiguration({ schema, live, config: { ...HEAD, ...body }, manager, ...HEAD, force, now })
  return keep(applied.object, applied.managedFields)
}
function update(old: KubeObject | undefined, body: JsonObject, manager: string, now: string): KubeObject {
  const next = { ...HEAD, ...body, metadata: {} } as unknown as KubeObject
  return keep(next, updateManagedFields({ schema, old, next, manager, apiVersion: 'v1', now }))
}

describe('random objects and writes', () => {
  for (let seed = 1; seed <= 60; seed++) {
    it(`every leaf is owned as the rules require, seed ${seed}`, () => {
      const { chance, pick, object } = generator(seed)
      let live: KubeObject | undefined
      for (let i = 0; i < 12; i++) {
        const manager = pick(['m1', 'm2', 'm3'])
        const applies = chance(0.7)
        const body = object()
        const before = { leaves: leavesOf(fieldsOf(live)), owners: ownersOf(live) }
        let next: KubeObject
        if (applies) {
          let conflicted = false
          try {
            next = apply(live, body, manager, at(i))
          } catch (error) {
            if (!(error instanceof ApplyError) || error.code !== 'conflict') throw error
            conflicted = true
            next = apply(live, body, manager, at(i), true)
          }
          const mine = leavesOf(body)
          const disputed = [...mine].some(
            ([path, value]) => before.leaves.get(path) !== value && [...(before.owners.get(path) ?? [])].some(owner => owner !== manager),
          )
          expect(conflicted, `conflict of ${manager} at ${i}`).to.equal(disputed)
          for (const [path, value] of mine) expect(leavesOf(fieldsOf(next)).get(path), path).to.equal(value)
        } else next = update(live, chance(0.5) ? { ...fieldsOf(live), ...body } : body, manager, at(i))
        const after = { leaves: leavesOf(fieldsOf(next)), owners: ownersOf(next) }
        const named = applies ? leavesOf(body) : after.leaves
        const actor = applies ? manager : `${manager}*`
        for (const path of new Set([...before.leaves.keys(), ...after.leaves.keys()])) {
          const owners = new Set(before.owners.get(path))
          if (before.leaves.get(path) !== after.leaves.get(path)) owners.clear()
          if (applies) owners.delete(actor)
          if (named.has(path) && (applies || before.leaves.get(path) !== after.leaves.get(path))) owners.add(actor)
          expect([...(after.owners.get(path) ?? [])].sort(), `${path} after ${actor} at ${i}`).to.deep.equal([...owners].sort())
        }
        live = next
      }
    })

    it(`a repeated apply changes nothing, seed ${seed}`, () => {
      const { object } = generator(seed)
      const live = update(undefined, object(), 'u', at(0))
      const body = object()
      const once = apply(apply(live, object(), 'o', at(1), true), body, 'm', at(2), true)
      expect(apply(once, body, 'm', at(3))).to.deep.equal(once)
    })

    it(`an apply of the current object changes no value and removes no owner, seed ${seed}`, () => {
      const { object } = generator(seed)
      const live = apply(update(undefined, object(), 'u', at(0)), object(), 'o', at(1), true)
      const again = apply(live, fieldsOf(live), 'm', at(2))
      expect(fieldsOf(again)).to.deep.equal(fieldsOf(live))
      expect(again.metadata.managedFields?.filter(entry => entry.manager !== 'm')).to.deep.equal(live.metadata.managedFields)
      for (const path of leavesOf(fieldsOf(live)).keys()) expect(ownersOf(again).get(path)?.has('m'), path).to.equal(true)
    })
  }
})
