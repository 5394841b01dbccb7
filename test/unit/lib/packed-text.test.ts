import { expect } from 'chai'
import { PackedText } from '../../../src/lib/packed-text.ts'

describe('PackedText', () => {
  const long = 'The name of a secret — in the same namespace. '.repeat(1000)

  it('returns the text before and after it is compressed', async () => {
    const packed = new PackedText(long)
    expect(packed.text()).to.equal(long)
    while (packed.size === long.length) await new Promise(setImmediate)
    expect(packed.size).to.be.lessThan(long.length / 20)
    expect(packed.text()).to.equal(long)
  })

  it('does not compress a short text', async () => {
    expect(new PackedText('short').text()).to.equal('short')
    expect(new PackedText('').text()).to.equal('')
  })
})
