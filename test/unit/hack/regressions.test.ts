import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withoutBraces } from '../../../hack/support/test-map.ts'

const tests = join(import.meta.dirname, '../..')

describe('the table of regressions in test/README.md', () => {
  const text = readFileSync(join(tests, 'README.md'), 'utf8')
  const section = text.slice(text.indexOf('## Regressions'), text.indexOf('## Time'))
  const rows = section.split('\n').flatMap(line => {
    const [, number = '', attack = '', names = ''] = line.split('|').map(cell => cell.trim())
    return /^\d+$/.test(number) ? [{ number: Number(number), attack, names }] : []
  })

  it('numbers its rows', () => {
    expect(rows.length).to.be.at.least(27)
    expect(rows.map(({ number }) => number)).to.deep.equal(rows.map((_, i) => i + 1))
  })

  for (const { number, attack, names } of rows)
    it(`names tests that exist in row ${number}: ${attack}`, () => {
      const files = [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => withoutBraces(name))
      expect(files).not.to.deep.equal([])
      const missing = files.filter(file => ![`${file}.test.ts`, `${file}.ts`].some(path => existsSync(join(tests, path))))
      expect(missing).to.deep.equal([])
    })
})
