import { expect } from 'chai'
import { CallContext } from '../../../src/lib/call-context.ts'

describe('CallContext', () => {
  it('has its value within a call, that of the inner call within it, and no value outside', () => {
    const context = new CallContext<string>()
    const seen: (string | undefined)[] = []
    const see = (): number => seen.push(context.value)
    see()
    context.run('a', () => {
      see()
      context.run('b', see)
      see()
    })
    see()
    expect(seen).to.deep.equal([undefined, 'a', 'b', 'a', undefined])
  })

  it('returns the result of the call, and is unset after an error', () => {
    const context = new CallContext<string>()
    expect(context.run('a', () => context.value)).to.equal('a')
    const failing = (): never => {
      throw new Error('no')
    }
    expect(() => context.run('a', failing)).to.throw('no')
    expect(context.value).to.equal(undefined)
  })
})
