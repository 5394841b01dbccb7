import { expect } from 'chai'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { ownsChange } from '../../../../src/commands/history/owns-change.ts'

const pod = (image: string, finalizers: string[], containers = ['other', 'web']): JsonObject => ({
  metadata: { finalizers },
  spec: { containers: containers.map(name => ({ name, image: name === 'web' ? image : 'x' })) },
})
const from = pod('nginx:1', ['a'])

const cases: [string, JsonObject, JsonObject, boolean][] = [
  [
    'a field of an item by its key',
    { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} } } } },
    pod('nginx:2', ['a']),
    true,
  ],
  ['a field of another item', { 'f:spec': { 'f:containers': { 'k:{"name":"other"}': { 'f:image': {} } } } }, pod('nginx:2', ['a']), false],
  [
    'an item in another place',
    { 'f:spec': { 'f:containers': { 'k:{"name":"other"}': { 'f:image': {} } } } },
    pod('nginx:1', ['a'], ['web', 'other']),
    false,
  ],
  ['an element of a set that is new', { 'f:metadata': { 'f:finalizers': { 'v:"b"': {} } } }, pod('nginx:1', ['a', 'b']), true],
  ['an element of a set that stays', { 'f:metadata': { 'f:finalizers': { 'v:"a"': {} } } }, pod('nginx:1', ['a', 'b']), false],
  ['a whole list', { 'f:spec': { 'f:containers': {} } }, pod('nginx:2', ['a']), true],
  ['an element by its place', { 'f:metadata': { 'f:finalizers': { 'i:0': {} } } }, pod('nginx:1', ['b']), true],
  ['unrelated and malformed paths', { 'f:status': { 'f:phase': {} }, 'k:{': {} }, pod('nginx:2', ['a']), false],
]

describe('ownsChange', () => {
  for (const [what, fields, to, owns] of cases) it(what, () => expect(ownsChange(fields, from, to)).to.equal(owns))
})
