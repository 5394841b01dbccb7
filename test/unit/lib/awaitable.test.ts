import { expect } from 'chai'
import { use } from '../../../src/lib/awaitable.ts'

describe('a value that is there already, or to come', () => {
  it('is used at once where it is there', () => {
    const used: number[] = []
    expect(use(1, value => used.push(value))).to.equal(undefined)
    expect(used).to.deep.equal([1])
  })

  it('is used when it comes', async () => {
    const used: number[] = []
    const using = use(Promise.resolve(1), value => used.push(value))
    expect(used).to.deep.equal([])
    expect(await using).to.equal(undefined)
    expect(used).to.deep.equal([1])
  })

  it('fails as its use does', async () => {
    const fail = (): never => {
      throw new Error('no')
    }
    expect(() => use(1, fail)).to.throw('no')
    expect(await use(Promise.resolve(1), fail)?.catch(error => error.message)).to.equal('no')
  })
})
