import { expect } from 'chai'
import type { KubeObject } from '../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { MOST_MEMBERS } from '../../../src/lib/wide-objects.ts'
import { boundGrowth } from '../../../src/registry/bound-growth.ts'

const members = (count: number): Record<string, string> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, '']))
const objectOf = (more: object, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a', ...metadata }, ...more }) as KubeObject
const managed = (count: number): KubeObject =>
  objectOf({}, { managedFields: [{ fieldsV1: { 'f:spec': { 'f:a': { '.': {}, ...members(count) } } } }] })
const MANY = MOST_MEMBERS + 2

describe('the members of a written object', () => {
  const refused = /^Request entity too large: limit is 32768 members of an object$/
  const table: [what: string, next: KubeObject, old: KubeObject | undefined, isRefused: boolean][] = [
    ['may be as many as a body may have', objectOf({ data: members(MOST_MEMBERS) }), undefined, false],
    ['may not be more', objectOf({ data: members(MOST_MEMBERS + 1) }), undefined, true],
    ['may not be more in metadata', objectOf({}, { labels: members(MANY) }), undefined, true],
    ['may not be more in a list', objectOf({ spec: { a: [{ b: members(MANY) }] } }), objectOf({ spec: { a: [{}] } }), true],
    ['may be as many in managed fields besides `.`', managed(MOST_MEMBERS), undefined, false],
    ['may not be more in managed fields', managed(MANY), undefined, true],
    ['may be as many in managed fields as before', managed(MANY), managed(MANY), false],
    ['may be fewer in managed fields than before', managed(MANY), managed(MANY + 1), false],
    ['may not be more in managed fields than before', managed(MANY + 1), managed(MANY), true],
    ['may all have managed fields if they are as many as before', managed(MANY), objectOf({ data: members(MANY) }), false],
    ['may be as many as before', objectOf({ a: 1, data: members(MANY) }), objectOf({ data: members(MANY) }), false],
    ['may be fewer than before', objectOf({ data: members(MANY - 1) }), objectOf({ data: members(MANY) }), false],
    ['may not be more than before', objectOf({ data: members(MANY) }), objectOf({ data: members(MANY - 1) }), true],
    [
      'may be as many as before in a list',
      objectOf({ spec: { a: [{ b: members(MANY) }] } }),
      objectOf({ spec: { a: [{ b: members(MANY) }] } }),
      false,
    ],
    ['may not be those of another member before', objectOf({ data: members(MANY) }), objectOf({ binaryData: members(MANY) }), true],
  ]
  for (const [what, next, old, isRefused] of table)
    it(what, () => {
      const run = () => runAtOnce(boundGrowth(next, old))
      if (isRefused) expect(run).to.throw(refused)
      else expect(run).not.to.throw()
    })
})
