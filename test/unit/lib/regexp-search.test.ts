import { expect } from 'chai'
import { RE2JS } from 're2js'
import { type RegExpMatch, searchSteps } from '../../../src/lib/regexp-search.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

const EXPRESSIONS = [
  'a',
  '',
  'a|ab',
  'ab|a',
  'a*',
  'a*?b',
  '(a?){3}$',
  '^a+$',
  '^a',
  'b$',
  '(?m)^b$',
  '(?s)a.b',
  'a.b',
  '\\bab\\b',
  '\\Bb',
  '(?i)AB',
  '[^a]',
  '\\pL+',
  '(a|b)*c',
  '(x+x+)+y',
  '\\z',
  '(?U)a+',
]
const TEXTS = ['', 'a', 'b', 'ab', 'aab', 'ba', 'a\nb', 'b\na\nb', 'xxxy', 'xxx', 'aé𝄞b', '𝄞', 'AB cab', 'ab ab', 'abcabc']

const placeOf = (found: RegExpMatch | undefined): object | undefined => found && { start: found.start, end: found.end }

describe('searchSteps', () => {
  for (const expression of EXPRESSIONS)
    it(`finds the matches of the library for ${JSON.stringify(expression)}`, () => {
      const compiled = RE2JS.compile(expression)
      const { prog } = compiled.re2Input
      for (const text of TEXTS) {
        const matcher = compiled.matcher(text)
        const wanted = matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined
        expect(placeOf(runAtOnce(searchSteps(prog, text))), text).to.deep.equal(wanted)
        expect(runAtOnce(searchSteps(prog, text, 0, true)) !== undefined, text).to.equal(wanted !== undefined)
        const second = wanted && matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined
        if (wanted && wanted.end > wanted.start) expect(placeOf(runAtOnce(searchSteps(prog, text, wanted.end))), text).to.deep.equal(second)
      }
    })

  it('reports how far it read the text', () => {
    const searchedTo = (expression: string): number | undefined =>
      runAtOnce(searchSteps(RE2JS.compile(expression).re2Input.prog, 'a'.repeat(100)))?.searchedTo
    expect(searchedTo('a')).to.equal(2)
    expect(searchedTo('a.*b|a')).to.equal(100)
  })

  it('takes many short steps if expression and text are long', () => {
    const { prog } = RE2JS.compile('(a?){100}$').re2Input
    let steps = 0
    for (const search = searchSteps(prog, `${'a'.repeat(5000)}`, 0, true); !search.next().done; ) steps++
    expect(steps).to.be.above(10)
  })
})
