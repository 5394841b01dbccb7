import { expect } from 'chai'
import { type AgreedValues, agreedKey, agreedValues } from '../../../src/storage/agreed-values.ts'
import { identity } from '../../../src/storage/value/identity.ts'
import type { Transformer } from '../../../src/storage/value/transformer.ts'
import { codeOf, never } from '../../support/backend.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const NAME = 'service-account-key'
const KEY = agreedKey('/registry', NAME)
const propose = (text: string) => async () => text

/** Turns bits over; what is stored otherwise is of an older key. */
const inverting: Transformer = {
  toStorage: value => Buffer.concat([Buffer.from('enc:'), value.map(byte => ~byte)]),
  fromStorage: stored =>
    stored.subarray(0, 4).toString() === 'enc:'
      ? { value: Buffer.from(stored.subarray(4).map(byte => ~byte)), stale: false }
      : { value: stored, stale: true },
}

describe('shared secrets of a store', () => {
  const over = (backend: MemoryBackend, transformer: Transformer = identity): AgreedValues =>
    agreedValues(backend, transformer, '/registry')
  const stored = async (backend: MemoryBackend) => (await backend.get(KEY, never)).item?.value.toString()

  it('are those that the first server proposes', async () => {
    const backend = new MemoryBackend()
    expect(await over(backend).agree(NAME, propose('a'))).to.equal('a')
    expect(await over(backend).agree(NAME, () => Promise.reject(new Error('asked')))).to.equal('a')
    expect(await stored(backend)).to.equal('a')
  })

  it('are the same if several servers propose at the same time', async () => {
    const backend = new MemoryBackend()
    const agreed = await Promise.all(['a', 'b', 'c', 'd'].map(text => over(backend).agree(NAME, propose(text))))
    expect(new Set(agreed).size).to.equal(1)
    expect(await stored(backend)).to.equal(agreed[0])
  })

  it('are replaced when they are no longer valid', async () => {
    const backend = new MemoryBackend()
    await over(backend).agree(NAME, propose('old'))
    const isGood = (text: string): boolean => text !== 'old'
    expect(await over(backend).agree(NAME, propose('new'), isGood)).to.equal('new')
    expect(await over(backend).agree(NAME, propose('newer'), isGood)).to.equal('new')
  })

  it('are encrypted, also if they were stored without encryption', async () => {
    const backend = new MemoryBackend()
    await over(backend).agree(NAME, propose('secret'))
    expect(await over(backend, inverting).agree(NAME, propose('other'))).to.equal('secret')
    expect(await stored(backend))
      .to.match(/^enc:/)
      .and.not.to.contain('secret')
    expect(await over(backend, inverting).agree(NAME, propose('other'))).to.equal('secret')
  })

  it('fail if the store is unavailable', async () => {
    const backend = new MemoryBackend()
    backend.down = true
    expect(await codeOf(over(backend).agree(NAME, propose('a')))).to.equal('unavailable')
  })
})
