import { expect } from 'chai'
import { use } from '../../../src/lib/awaitable.ts'

describe('use', () => {
  it('uses a value synchronously', () => {
    const used: number[] = []
    expect(use(1, value => used.push(value))).to.equal(undefined)
    expect(used).to.deep.equal([1])
  })

  it('uses the value of a promise once it resolves', async () => {
    const used: number[] = []
    const using = use(Promise.resolve(1), value => used.push(value))
    expect(used).to.deep.equal([])
    expect(await using).to.equal(undefined)
    expect(used).to.deep.equal([1])
  })

  it('rejects with the error of the callback', async () => {
    const fail = (): never => {
      throw new Error('no')
    }
    expect(() => use(1, fail)).to.throw('no')
    expect(await use(Promise.resolve(1), fail)?.catch(error => error.message)).to.equal('no')
  })
})
