import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { quoteForShell } from '../../../src/lib/shell-quote.ts'

describe('quoteForShell', () => {
  const table: [text: string, quoted: string][] = [
    ['pods/log', 'pods/log'],
    ['system:serviceaccount:shop:web', 'system:serviceaccount:shop:web'],
    ['', "''"],
    ['$(id)', "'$(id)'"],
    ["it's", "'it'\\''s'"],
    ['two words', "'two words'"],
  ]
  for (const [text, quoted] of table)
    it(`returns ${quoted} for ${JSON.stringify(text)}`, () => expect(quoteForShell(text)).to.equal(quoted))

  it('returns what a shell reads as the text', () => {
    const texts = table.map(([text]) => text)
    expect(execFileSync('sh', ['-c', `printf '%s\\n' ${texts.map(quoteForShell).join(' ')}`], { encoding: 'utf8' })).to.equal(
      `${texts.join('\n')}\n`,
    )
  })
})
