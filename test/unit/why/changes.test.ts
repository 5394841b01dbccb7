import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { cloneSmall, valueChanges } from '../../../src/why/changes.ts'

const CASES: readonly [string, Json, Json, Json][] = [
  ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  [
    'members',
    { a: 1, b: 2 },
    { b: 3, c: 4 },
    [
      { op: 'remove', path: '/a' },
      { op: 'replace', path: '/b', value: 3 },
      { op: 'add', path: '/c', value: 4 },
    ],
  ],
  ['names with slashes and tildes', { m: {} }, { m: { 'a/b~c': 1 } }, [{ op: 'add', path: '/m/a~1b~0c', value: 1 }]],
  ['an item put first', { l: [1, 2] }, { l: [0, 1, 2] }, [{ op: 'add', path: '/l/0', value: 0 }]],
  ['an item put last', { l: [1] }, { l: [1, 2] }, [{ op: 'add', path: '/l/1', value: 2 }]],
  [
    'items taken out',
    { l: [1, 2, 3, 4] },
    { l: [1, 4] },
    [
      { op: 'remove', path: '/l/2' },
      { op: 'remove', path: '/l/1' },
    ],
  ],
  ['an item changed', { l: [{ n: 1 }, { n: 2, m: 1 }] }, { l: [{ n: 1 }, { n: 3, m: 1 }] }, [{ op: 'replace', path: '/l/1/n', value: 3 }]],
  ['another type', { a: [] }, { a: { b: 1 } }, [{ op: 'replace', path: '/a', value: { b: 1 } }]],
  ['managed fields, which are left out', { metadata: {} }, { metadata: { managedFields: [{ manager: 'a' }] } }, []],
]

describe('changesOf', () => {
  for (const [what, before, after, wanted] of CASES) it(what, () => expect(valueChanges(cloneSmall(before), after)).to.deep.equal(wanted))

  it('compares with the copy, not with the modified object', () => {
    const object = { spec: { replicas: 1 } }
    const kept = cloneSmall(object)
    object.spec.replicas = 2
    expect(valueChanges(kept, object)).to.deep.equal([{ op: 'replace', path: '/spec/replicas', value: 2 }])
  })
  it('does not compare large or deeply nested values', () => {
    let deep: Json = 1
    for (let i = 0; i < 20_000; i++) deep = [deep]
    for (const large of [Array.from({ length: 5000 }, () => 1), deep]) {
      expect(cloneSmall(large)).to.equal(undefined)
      expect(valueChanges(cloneSmall(large), {})).to.equal('too large')
      expect(valueChanges({}, large)).to.equal('too large')
    }
  })
  it('limits the number of changes', () => {
    const after = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, i]))
    expect(valueChanges({}, after)).to.have.length(100)
  })
})
