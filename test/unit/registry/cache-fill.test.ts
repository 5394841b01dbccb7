import { expect } from 'chai'
import { CacheFill } from '../../../src/registry/cache-fill.ts'
import { ConversionError } from '../../../src/registry/errors.ts'
import type { StoredObject } from '../../../src/storage/storage.ts'
import { failureText } from '../../support/conversion.ts'

describe('CacheFill', () => {
  let now = 0
  let calls = 0
  let failure: Error | undefined
  const converted: number[] = []
  const fill = () =>
    new CacheFill(
      async stored => {
        converted.push(stored.length)
        if (failure) throw failure
      },
      { now: () => now },
    )
  const run = async (): Promise<string> => {
    calls++
    if (failure) throw failure
    return 'list'
  }
  beforeEach(() => {
    now = 0
    calls = 0
    failure = undefined
    converted.length = 0
  })

  it('repeats a failure until the next attempt is due, for its namespace only', async () => {
    const one = fill()
    failure = new ConversionError('first')
    expect(await failureText(one.attempt('ns', run))).to.equal('first')
    failure = new ConversionError('second')
    now = 799
    expect(await failureText(one.attempt('ns', run))).to.equal('first')
    expect(await failureText(one.attempt('other', run))).to.equal('second')
    failure = undefined
    now = 1600
    expect(await one.attempt('ns', run)).to.equal('list')
    expect(calls).to.equal(3)
  })

  it('does not repeat other errors', async () => {
    const one = fill()
    failure = new Error('no conversion')
    expect(await failureText(one.attempt('ns', run))).to.equal('no conversion')
    failure = undefined
    expect(await one.attempt('ns', run)).to.equal('list')
  })

  it('converts all objects until the first success', async () => {
    const one = fill()
    const all = (count: number) => one.all(() => Array.from({ length: count }, () => ({}) as StoredObject))
    await one.all(() => undefined)
    failure = new ConversionError('fails')
    expect(await failureText(all(2))).to.equal('fails')
    failure = undefined
    now = 800
    await all(3)
    await all(4)
    expect(converted).to.deep.equal([2, 3])
  })
})
