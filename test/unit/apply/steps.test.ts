import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../src/api/meta/object.ts'
import { applyInSteps } from '../../../src/apply/apply.ts'
import { updateManagedInSteps } from '../../../src/apply/managed-fields.ts'
import type { FieldSet } from '../../../src/apply/set-node.ts'
import { mergeTyped, removeItems } from '../../../src/apply/typed-merge.ts'
import { toFieldSet, wholly } from '../../../src/apply/typed-paths.ts'
import { types } from '../../../src/catalog/types.ts'
import { runAtOnce, type Steps } from '../../../src/lib/steps.ts'
import { isWide } from '../../../src/lib/wide-objects.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { TYPED } from '../../../src/schema/typed-form.ts'

const COUNT = 20_000
/** Passes over the members or elements that are in steps, with some hundred of them in each. */
const STEPS = 3 * (COUNT / 512)

function stepsOf(steps: Steps<unknown>): number {
  let count = 0
  while (!steps.next().done) count++
  return count
}

describe('tracking and applying a wide object', () => {
  const schema = types.type('core.ConfigMap')
  const type = { apiVersion: 'v1', kind: 'ConfigMap' }
  const names = Array.from({ length: COUNT }, (_, i) => `a${i}`)
  const wide: [what: string, object: JsonObject][] = [
    ['map', { ...type, metadata: { name: 'a' }, data: Object.fromEntries(names.map(name => [name, 'v'])) }],
    ['set', { ...type, metadata: { name: 'a', finalizers: names.map(name => `example.io/${name}`) } }],
    [
      'list by key',
      { ...type, metadata: { name: 'a', ownerReferences: names.map(uid => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid })) } },
    ],
  ]
  const fields = names.map(
    name =>
      [name, { name, number: 0, schema: { type: 'string', goType: 'string' }, required: false, omitEmpty: true, pointer: false }] as const,
  )
  const struct: StructSchema = { type: 'struct', form: TYPED, name: 'Wide', inlines: [], typeMeta: true, fields: new Map(fields) }
  const now = '2024-01-01T00:00:00Z'
  it('takes steps: an update of a struct, whose members are sorted', () => {
    const next = {
      ...type,
      metadata: { name: 'a' },
      ...Object.fromEntries(names.toReversed().map(name => [name, 'v'])),
    } as unknown as KubeObject
    const steps = updateManagedInSteps({ schema: struct, old: undefined, next, manager: 'm', apiVersion: 'v1', now })
    let count = 0
    for (let step = steps.next(); ; step = steps.next(), count++) {
      if (!step.done) continue
      const owned = Object.keys(step.value[0]?.fieldsV1 ?? {}).filter(name => name.startsWith('f:a'))
      expect(owned).to.deep.equal(names.map(name => `f:${name}`).sort())
      break
    }
    expect(count).to.be.at.least(Math.floor(STEPS / 3))
  })

  for (const [what, object] of wide) {
    it(`marks the fields of a ${what} as wide, so that a turn of its own lists them`, () => {
      const isInSet = (set: FieldSet): boolean => isWide(set) || Object.values(set).some(isInSet)
      expect(isInSet(runAtOnce(toFieldSet(schema, object)))).to.equal(true)
      expect(isInSet(runAtOnce(wholly(schema, object)))).to.equal(true)
    })
    it(`is done in steps: an update of a ${what}`, () => {
      const next = object as unknown as KubeObject
      expect(stepsOf(updateManagedInSteps({ schema, old: undefined, next, manager: 'm', apiVersion: 'v1', now }))).to.be.at.least(STEPS / 2)
    })
    it(`is done in steps: removing a ${what}`, () => {
      expect(stepsOf(removeItems(schema, object, runAtOnce(toFieldSet(schema, object))))).to.be.at.least(Math.floor(STEPS / 3))
    })
    it(`is done in steps: an apply of a ${what}`, () => {
      const args = { schema, config: object, manager: 'm', apiVersion: 'v1', kind: 'ConfigMap', force: false, now }
      expect(stepsOf(applyInSteps({ ...args, live: undefined }))).to.be.at.least(STEPS)
    })
    it(`is done in steps: a merge of a ${what}`, () => {
      // Lists are keyed, looked up and merged.
      const passes = what === 'map' ? 2 : 5
      expect(stepsOf(mergeTyped(schema, object, object))).to.be.at.least(Math.floor((passes * COUNT) / 512))
    })
  }
})
