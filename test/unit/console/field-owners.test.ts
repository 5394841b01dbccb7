import { expect } from 'chai'
import { fieldOwners } from '../../../src/console/field-owners.ts'
import type { Json } from '../../../src/console/objects.ts'

const object: Json = {
  metadata: { labels: { app: 'web', 'a/b': 'x' }, finalizers: ['one', 'two'] },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    ports: [
      { port: 80, protocol: 'TCP', name: 'http' },
      { port: 80, protocol: 'UDP' },
    ],
    args: ['x', 'y'],
  },
}

describe('owners of fields', () => {
  const { managers, ownersOf } = fieldOwners(object, [
    {
      manager: 'a',
      operation: 'Apply',
      time: '2026-01-01T00:00:00Z',
      fieldsV1: {
        'f:metadata': { 'f:labels': { 'f:app': {}, 'f:a/b': {} }, 'f:finalizers': { '.': {}, 'v:"two"': {} } },
        'f:spec': { 'f:selector': {}, 'f:ports': { 'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {} } } },
      },
    },
    {
      manager: 'b',
      operation: 'Update',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:args': { 'i:1': {} } }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
    },
    {
      manager: 'odd',
      fieldsV1: { 'f:spec': { 'f:none': {}, 'k:{': {}, 'k:[1]': {}, 'v:': {}, 'i:x': {}, 'f:__proto__': { 'f:x': {} }, x: {} } },
    },
  ])

  it('have names', () => {
    expect(managers.map(({ name, operation, subresource }) => [name, operation, subresource])).to.deep.equal([
      ['a', 'Apply', ''],
      ['b', 'Update', 'scale'],
      ['odd', '', ''],
    ])
  })

  const CASES: Readonly<Record<string, readonly number[]>> = {
    '/metadata': [],
    '/metadata/labels/app': [0, 1],
    '/metadata/labels/a~1b': [0],
    '/metadata/finalizers': [0],
    '/metadata/finalizers/0': [],
    '/metadata/finalizers/1': [0],
    '/spec/replicas': [1],
    '/spec/selector': [0],
    '/spec/selector/matchLabels/app': [0],
    '/spec/ports/0/port': [],
    '/spec/ports/1': [0],
    '/spec/ports/1/port': [0],
    '/spec/ports/1/protocol': [],
    '/spec/args/0': [],
    '/spec/args/1': [1],
  }
  for (const [path, owners] of Object.entries(CASES)) it(`are found for ${path}`, () => expect(ownersOf(path)).to.deep.equal(owners))

  it('are found in long lists', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ name: `n${i}` }))
    const set = Object.fromEntries(items.map(({ name }) => [`k:{"name":"${name}"}`, { '.': {} }]))
    const found = fieldOwners({ spec: { items } }, [{ manager: 'a', fieldsV1: { 'f:spec': { 'f:items': set } } }])
    expect(found.ownersOf('/spec/items/19999')).to.deep.equal([0])
  })
})
