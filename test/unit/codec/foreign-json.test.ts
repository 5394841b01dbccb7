import { expect } from 'chai'
import { parseForeignJson, readForeignJson } from '../../../src/codec/foreign-json.ts'
import { errorMessage } from '../../../src/lib/error-message.ts'
import type { Steps } from '../../../src/lib/steps.ts'

function stepsOf<T>(steps: Steps<T>): number {
  for (let count = 1; ; count++) if (steps.next().done) return count
}

const faultOf = (text: string, mostValues?: number): Promise<string> =>
  readForeignJson(Buffer.from(text), undefined, mostValues).then(() => '', errorMessage)

describe('JSON of another server', () => {
  it('is read at any length', async () => {
    for (const value of [{ a: [1, 'x', null] }, { items: Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}` })) }])
      expect(await readForeignJson(Buffer.from(JSON.stringify(value)))).to.deep.equal(value)
  })

  const MEGABYTE = 1 << 20
  const texts: Readonly<Record<string, string>> = {
    numbers: `[${'1,'.repeat(30_000)}1]${' '.repeat(40_000)}`,
    'long strings': `[${`"${'x'.repeat(1000)}",`.repeat(1000)}"x"]`,
    'lists in lists': `[${'[[[]]],'.repeat(15_000)}1]`,
    members: `[${`{${Array.from({ length: 15_000 }, (_, i) => `"k${i}":1`).join(',')}},`.repeat(3)}1]`,
  }
  for (const [what, text] of Object.entries(texts))
    it(`is parsed in steps of some thousand values or 64 KiB: ${what}`, () => {
      const values = text.match(/[,[{]/g)?.length ?? 0
      expect(stepsOf(parseForeignJson(Buffer.from(text)))).to.be.at.least(
        Math.max(Math.floor(values / 8192), Math.floor((text.trimEnd().length / MEGABYTE) * 8)),
      )
    })

  it('is rejected for its depth before the rest is read', async () => {
    for (const open of ['[', '{"a":']) expect(await faultOf(open.repeat(MEGABYTE / open.length))).to.include('exceeded max depth')
  })

  it('is rejected if it holds too many values', async () => {
    expect(await faultOf(`[${'{},'.repeat(70_000)}{}]`)).to.equal('the text holds more than 65536 values')
    expect(await faultOf(`{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(',')}}`)).to.equal(
      'an object holds more than 16384 members',
    )
    expect(await faultOf(`[${'"xxxxxxxxxxxxxxxx",'.repeat(20_000)}1]`, 10_000)).to.equal('the text holds more than 10000 values')
  })

  it("is rejected with Go's errors", async () => {
    expect(await faultOf(`{"a":1}x${' '.repeat(100_000)}`)).to.equal("invalid character 'x' after top-level value")
    expect(await faultOf('nonsense')).to.equal("invalid character 'o' in literal null (expecting 'u')")
  })
})
