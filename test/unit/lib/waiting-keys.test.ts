import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { WaitingKeys } from '../../../src/lib/waiting-keys.ts'

describe('waiting keys', () => {
  it('gives keys in the order in which they were added, each once', () => {
    const keys = new WaitingKeys()
    expect(['a', 'b', 'a'].map(key => keys.add(key))).to.deep.equal([true, true, false])
    expect(keys.first()).to.equal('a')
    keys.begin('a')
    expect(keys.first()).to.equal('b')
    keys.begin('b')
    expect(keys.first()).to.equal(undefined)
    expect([[...keys.waiting.keys()], [...keys.running.keys()]]).to.deep.equal([[], ['a', 'b']])
  })

  it('puts a key last that was added while it was processed', () => {
    const keys = new WaitingKeys()
    for (const key of ['a', 'b']) keys.add(key)
    keys.begin('a')
    expect(keys.add('a')).to.equal(true)
    expect(keys.first()).to.equal('b')
    keys.end('a')
    expect(keys.first()).to.equal('b')
    keys.begin('b')
    expect(keys.first()).to.equal('a')
  })

  it('forgets waiting keys when it is cleared, and takes new ones', () => {
    const keys = new WaitingKeys()
    for (const key of ['a', 'b']) keys.add(key)
    keys.clear()
    expect([keys.first(), keys.waiting.size]).to.deep.equal([undefined, 0])
    keys.add('b')
    expect(keys.first()).to.equal('b')
  })

  // With an iterator of a Map, each key costs the number of keys before it: 200,000 take most of a minute.
  it('takes the first of very many keys in constant time', () => {
    const keys = new WaitingKeys()
    const count = 200_000
    for (let i = 0; i < count; i++) keys.add(`key-${i}`)
    let taken = 0
    for (let key = keys.first(); key !== undefined; key = keys.first()) {
      if (key !== `key-${taken++}`) expect.fail(`${key} comes after ${taken - 1} keys`)
      keys.begin(key)
      keys.end(key)
    }
    expect(taken).to.equal(count)
  })

  for (const inOrder of [true, false])
    it(`gives in random histories ${inOrder ? 'the key that a list gives' : 'a key that can begin, if keys begin out of order'}`, () => {
      const random = seededRandom(7)
      const keys = new WaitingKeys()
      const [order, dirty, running]: [string[], Set<string>, Set<string>] = [[], new Set(), new Set()]
      const begin = (key: string): void => {
        keys.begin(key)
        order.splice(order.indexOf(key), 1)
        running.add(key)
      }
      for (let i = 0; i < 20_000; i++) {
        const key = `key-${Math.floor(random() * 30)}`
        const choice = random()
        if (choice < 0.5) {
          keys.add(key)
          if (running.has(key)) dirty.add(key)
          else if (!order.includes(key)) order.push(key)
        } else if (choice < 0.65 && order[0] !== undefined) begin(order[0])
        else if (!inOrder && choice < 0.75 && order.includes(key)) begin(key)
        else if (running.delete(key)) {
          keys.end(key)
          if (dirty.delete(key)) order.push(key)
        }
        const first = keys.first()
        expect(inOrder || first === undefined ? order[0] : order.find(each => each === first)).to.equal(first)
        expect(keys.waiting.size).to.equal(order.length + dirty.size)
      }
    })
})
