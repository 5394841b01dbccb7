import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { checkIdentity, restoredMetadata } from '../../../../src/extensions/conversion/converted-metadata.ts'

const metadata = { name: 'a', namespace: 'ns', uid: 'u', generation: 3, labels: { l: '1' }, finalizers: ['x/y'] }
const outcome = (converted: JsonObject): unknown => {
  try {
    checkIdentity({ metadata }, converted)
    return restoredMetadata({ metadata }, converted)
  } catch (error) {
    return (error as Error).message
  }
}
const NAME = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

describe('restoredMetadata', () => {
  const answered = (own: Record<string, Json>): JsonObject => ({ metadata: { ...metadata, ...own } })
  const table: [name: string, converted: JsonObject, expected: unknown][] = [
    ['is restored if the webhook left it unchanged', answered({}), metadata],
    [
      'takes labels and annotations of the webhook',
      answered({ labels: { l: '2', m: '3' }, annotations: { a: 'b' } }),
      { ...metadata, labels: { l: '2', m: '3' }, annotations: { a: 'b' } },
    ],
    ['takes no other fields', answered({ generation: 9, finalizers: [], ownerReferences: [] }), metadata],
    ['may lose its labels', answered({ labels: null }), { name: 'a', namespace: 'ns', uid: 'u', generation: 3, finalizers: ['x/y'] }],
    ['must keep the name', answered({ name: 'b' }), 'must have the same name: a != b'],
    ['must keep the namespace', answered({ namespace: 'other' }), 'must have the same namespace: ns != other'],
    ['must keep the uid', answered({ uid: 'other' }), 'must have the same UID: u != other'],
    ['must be present', {}, 'must have the same name: a != '],
    ['must have an object as labels', answered({ labels: 'x' }), 'invalid metadata.labels of type string in converted object'],
    [
      'must have strings as labels',
      answered({ labels: { a: 1 } }),
      'metadata.labels[a] must be a string, but is int64 in converted object',
    ],
  ]
  for (const [name, converted, expected] of table) it(name, () => expect(outcome(converted)).to.deep.equal(expected))

  it('validates labels and annotations', () => {
    expect(outcome(answered({ annotations: { 'bad key!': 'x' } }))).to.contain(
      `metadata.annotation: Invalid value: "bad key!": name part ${NAME}`,
    )
    expect(outcome(answered({ labels: { ok: 'x y', 'no way': 'z' } }))).to.match(
      /^\[metadata\.labels: Invalid value: "x y": a valid label .*, metadata\.labels: Invalid value: "no way": name part .*\]$/,
    )
  })
})
