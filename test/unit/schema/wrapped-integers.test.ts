import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { wrappedIntegers } from '../../../src/schema/wrapped-integers.ts'

/** Numbers with the results of kube-apiserver's machinery in a strategic merge. */
const CASES: readonly (readonly [from: number | bigint, to: number])[] = [
  [5_000_000_000, 705_032_704],
  [4_294_967_301, 5],
  [2_147_483_648, -2_147_483_648],
  [1e30, 0],
  [1e19, 0],
  [2n ** 62n + 3n, 3],
]

describe('converted integers', () => {
  const wrapped = (value: Json) => wrappedIntegers(types.type('core.Pod'), value)

  for (const [from, to] of CASES)
    it(`make ${to} of ${from} in 32 bits`, () => expect(wrapped({ spec: { priority: from } })).to.deep.equal({ spec: { priority: to } }))

  it('are truncated to 64 bits at any depth, without other changes', () => {
    const value = {
      metadata: { generation: 1e30, name: 'a' },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 4_294_967_297, hostPort: 1.5 }] }] },
    }
    expect(wrapped(value)).to.deep.equal({
      metadata: { generation: -(2n ** 63n), name: 'a' },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 1.5 }] }] },
    })
    expect(value.metadata.generation).to.equal(1e30)
  })

  it('are returned unchanged if they fit', () => {
    const value = { metadata: { generation: 5 }, spec: { priority: 7, nodeSelector: { a: 'b' }, other: 5_000_000_000 } }
    expect(wrapped(value)).to.equal(value)
  })
})
