import { expect } from 'chai'
import { layOut, type Related } from '../../../src/console/graph-layout.ts'

const node = (uid: string, ...owners: string[]): Related => ({ uid, kind: 'Pod', name: uid, namespace: '', owners })
const columns = (objects: readonly Related[], centre: string): Readonly<Record<string, number>> =>
  Object.fromEntries(layOut(objects, centre).placed.map(({ node: { uid }, x }) => [uid, x / 256]))

describe('the graph of owners', () => {
  it('places owners to the left and dependents to the right', () => {
    const objects = [node('deployment'), node('set', 'deployment'), node('one', 'set'), node('two', 'set')]
    expect(columns(objects, 'set')).to.deep.equal({ deployment: 0, set: 1, one: 2, two: 2 })
    expect(columns(objects, 'deployment')).to.deep.equal({ deployment: 0, set: 1, one: 2, two: 2 })
    expect(layOut(objects, 'set').edges.map(([from, to]) => `${from.node.uid} ${to.node.uid}`)).to.have.members([
      'deployment set',
      'set one',
      'set two',
    ])
  })

  it('terminates if objects own each other', () => {
    expect(columns([node('a', 'b'), node('b', 'a')], 'a')).to.deep.equal({ a: 1, b: 0 })
    expect(columns([node('a', 'a')], 'a')).to.deep.equal({ a: 0 })
  })

  it('limits the number of objects', () => {
    const many = [node('a'), ...Array.from({ length: 500 }, (_, i) => node(`n${i}`, 'a'))]
    const { placed, left } = layOut(many, 'a')
    expect([placed.length, left]).to.deep.equal([120, 381])
    expect(placed.some(({ node: { uid } }) => uid === 'a')).to.equal(true)
  })
})
