import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { authorsOf, fieldChanges } from '../../../../src/commands/history/field-changes.ts'

const lines = (from: JsonObject | undefined, to: JsonObject | undefined): string[] =>
  fieldChanges(from, to).map(({ path, from: was, to: is }) => `${path}: ${JSON.stringify(was) ?? '-'} → ${JSON.stringify(is) ?? '-'}`)

const cases: Record<string, { from?: JsonObject; to?: JsonObject; changes: string[] }> = {
  'a field': {
    from: { spec: { replicas: 2, paused: true } },
    to: { spec: { replicas: 3, paused: true } },
    changes: ['spec.replicas: 2 → 3'],
  },
  'added and removed fields': { from: { data: { a: '1' } }, to: { data: { b: '2' } }, changes: ['data.b: - → "2"', 'data.a: "1" → -'] },
  'names with dots': {
    from: { metadata: { annotations: { 'a.b/c': '1' } } },
    to: { metadata: { annotations: { 'a.b/c': '2' } } },
    changes: ['metadata.annotations["a.b/c"]: "1" → "2"'],
  },
  'items by their names': {
    from: { spec: { containers: [{ name: 'a', image: 'x' }, { name: 'b' }] } },
    to: { spec: { containers: [{ name: 'c' }, { name: 'a', image: 'y' }] } },
    changes: ['spec.containers[c]: - → {"name":"c"}', 'spec.containers[a].image: "x" → "y"', 'spec.containers[b]: {"name":"b"} → -'],
  },
  'items by their place': {
    from: { rules: [{ verbs: ['get'] }] },
    to: { rules: [{ verbs: ['get', 'list'] }] },
    changes: ['rules[0].verbs: ["get"] → ["get","list"]'],
  },
  'lists of another length': { from: { rules: [{}] }, to: { rules: [] }, changes: ['rules: [{}] → []'] },
  'metadata that every change updates': {
    from: { metadata: { resourceVersion: '1', generation: 1, managedFields: [], labels: { a: 'b' } } },
    to: { metadata: { resourceVersion: '2', generation: 2, managedFields: [{}], labels: { a: 'b' } } },
    changes: [],
  },
  'a new object': {
    to: { metadata: { name: 'a', labels: { b: 'c' } }, spec: { x: 1 } },
    changes: ['metadata.name: - → "a"', 'metadata.labels: - → {"b":"c"}', 'spec: - → {"x":1}'],
  },
  'a value of another type': { from: { a: { b: 1 } }, to: { a: [1] }, changes: ['a: {"b":1} → [1]'] },
  'names of prototypes': {
    from: JSON.parse('{"__proto__":1}'),
    to: JSON.parse('{"constructor":2}'),
    changes: ['constructor: - → 2', '__proto__: 1 → -'],
  },
}

describe('changes of fields', () => {
  for (const [name, { from, to, changes }] of Object.entries(cases)) it(name, () => expect(lines(from, to)).to.deep.equal(changes))

  it('are limited in number and depth', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]))
    expect(fieldChanges({}, many)).to.have.lengthOf(1000)
    let [a, b]: [Json, Json] = [1, 2]
    for (let i = 0; i < 2000; i++) [a, b] = [{ x: a }, { x: b }]
    expect(fieldChanges(a as JsonObject, b as JsonObject)[0]?.path).to.equal(Array.from({ length: 50 }, () => 'x').join('.'))
  })

  it('have the authors whose managed fields changed, or else the latest author', () => {
    const entry = (manager: string, time: string, subresource?: string) => ({
      manager,
      operation: 'Update',
      time,
      ...(subresource && { subresource }),
    })
    const object = (...managedFields: JsonObject[]): JsonObject => ({ metadata: { managedFields } })
    const [a, b] = [entry('a', '2030-01-01T00:00:00Z'), entry('b', '2030-01-01T00:00:01Z', 'status')]
    expect(authorsOf(object(a), object(a, b))).to.deep.equal([b])
    expect(authorsOf(object(a, b), object(a, b))).to.deep.equal([b])
    expect(authorsOf(undefined, object(a))).to.deep.equal([a])
    const scale: JsonObject = { manager: 'kubectl', operation: 'Update', subresource: 'scale' }
    const scaled = (replicas: number): JsonObject => ({
      ...object(a, { ...scale, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }, b),
      spec: { replicas },
    })
    expect(authorsOf(scaled(2), scaled(3))).to.deep.equal([scale])
    expect(authorsOf(undefined, undefined)).to.deep.equal([])
  })
})
