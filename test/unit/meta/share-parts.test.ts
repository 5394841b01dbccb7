import { expect } from 'chai'
import { shareEqual, shareMembers } from '../../../src/meta/share-parts.ts'
import { isWholeFloat, setWholeFloat } from '../../../src/meta/whole-floats.ts'

const pod = (name: string, image = 'app:1') => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80 }] }], tolerations: [{ key: 'a' }, { key: 'b' }] },
  status: {},
})

describe('equal parts of two objects', () => {
  it('are shared at every depth, and neither object is changed', () => {
    const [like, next] = [pod('a'), pod('b', 'app:2')]
    const shared = shareEqual(like, next)
    expect(shared).to.deep.equal(pod('b', 'app:2'))
    expect([like, next]).to.deep.equal([pod('a'), pod('b', 'app:2')])
    expect([shared.metadata.labels, shared.spec.tolerations, shared.status]).to.have.ordered.members([
      like.metadata.labels,
      like.spec.tolerations,
      like.status,
    ])
    expect(shared.spec.containers[0]?.ports).to.equal(like.spec.containers[0]?.ports)
    expect(shareEqual(like, pod('a'))).to.equal(like)
  })

  it('are only those at the same place, of the same type and with the same members', () => {
    const cases: readonly (readonly [unknown, unknown])[] = [
      [{ a: [] }, {}],
      [{}, { a: [] }],
      [{ a: 1 }, { a: 1, b: undefined }],
      [{ a: 1, b: 2 }, { a: 1 }],
      [[1, 2], [1]],
      [[1], [1, 2]],
      [{ 0: 1 }, [1]],
      [[1], { 0: 1 }],
      [{ a: null }, { a: {} }],
      [{ a: {} }, { a: null }],
      [{ a: '1' }, { a: 1 }],
      [undefined, { a: 1 }],
      ['a', { a: 1 }],
      [{ toString: 1 }, { constructor: 1 }],
    ]
    for (const [like, next] of cases) {
      const text = JSON.stringify([like, next])
      const shared = shareEqual(like, next)
      expect(shared, text).to.deep.equal(next)
      expect(shared, text).not.to.equal(like)
    }
    const proto = JSON.parse('{"__proto__":{"a":1},"b":1}')
    expect(JSON.stringify(shareEqual({ b: 2 }, proto))).to.equal('{"__proto__":{"a":1},"b":1}')
  })

  it('keep the order of members, and numbers that are floats to Go', () => {
    expect(JSON.stringify(shareEqual({ b: [1], a: [2] }, { a: [2], b: [1], c: 3 }))).to.equal('{"a":[2],"b":[1],"c":3}')
    const [like, next] = [{ of: { a: 1 } }, { of: { a: 1 } }]
    setWholeFloat(next.of, 'a', '1.0')
    expect(isWholeFloat(shareEqual(like, next).of, 'a')).to.equal(true)
    expect(isWholeFloat(shareEqual(next, { of: { a: 1 } }).of, 'a')).to.equal(false)
  })

  it('are shared with an earlier state where a whole member is the same, and else with another object', () => {
    const [old, like] = [
      { ...pod('a'), status: { conditions: [{ type: 'Ready' }] } },
      { ...pod('b', 'app:2'), status: { phase: 'Running' } },
    ]
    const next = { ...pod('a', 'app:2'), status: { phase: 'Running', conditions: [{ type: 'Ready' }] } }
    const text = JSON.stringify([old, like, next])
    const shared = shareMembers(old, like, next)
    expect(JSON.stringify([old, like, shared])).to.equal(text)
    expect([shared.metadata, shared.spec]).to.have.ordered.members([old.metadata, like.spec])
    expect(shareMembers(undefined, undefined, next)).to.deep.equal(next)
  })
})
