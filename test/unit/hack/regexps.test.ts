import { expect } from 'chai'
import { regexpProblems } from '../../../hack/support/regexp-problems.ts'
import { regexpsOf } from '../../../hack/support/regexps.ts'

const filesOf = (texts: Readonly<Record<string, string>>) => Object.entries(texts).map(([path, text]) => ({ path, text }))
const shownIn = (texts: Readonly<Record<string, string>>): (string | undefined)[] =>
  regexpsOf(filesOf(texts)).map(({ expression }) => expression && `/${expression.source}/${expression.flags}`)

describe('regular expressions in source files', () => {
  it('are found as literals, anywhere', () => {
    expect(shownIn({ 'a.ts': 'const a: RegExp = /x+/g\nexport const f = (t: string) => t.replace(/y\\/$/, "") as string' })).to.deep.equal([
      '/x+/g',
      '/y\\/$/',
    ])
  })

  it('are evaluated from constants', () => {
    expect(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code that is read
      shownIn({ 'a.ts': "const A = '[a]'\nconst B = `${A}+`\nconst C = B.replaceAll('a', 'b')\nnew RegExp(`^${B}${C}$`, 'i')" }),
    ).to.deep.equal(['/^[a]+[b]+$/i'])
  })

  it('are evaluated from constants of other files', () => {
    expect(shownIn({ 'x/a.ts': "import { A } from '../b.ts'\nnew RegExp(A)", 'b.ts': "export const A = 'a'" })).to.deep.equal(['/a/'])
  })

  it('are evaluated from functions that are called with constants', () => {
    const text =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code that is read
      "const whole = (s: string) => new RegExp(`^${s}$`)\nconst rule = (s: string) => ({ regex: whole(s) })\nrule('a')\nrule(`b`)\nwhole('c')"
    expect(shownIn({ 'a.ts': text })).to.deep.equal(['/^a$/', '/^b$/', '/^c$/'])
  })

  it('are unknown if they are created from other values', () => {
    expect(shownIn({ 'a.ts': 'export const f = (s: string) => new RegExp(s)' })).to.deep.equal([undefined])
  })
})

describe('the report on regular expressions', () => {
  const found = regexpsOf(filesOf({ 'a.ts': "const a = /0+$/\n\nconst b = (s: string) => new RegExp(s, 'g')" }))
  const exemption = (path: string, shown: string) => ({ path, shown, reason: '' })

  it('names the file, the line, the expression and its growth', () => {
    expect(regexpProblems(found, [])).to.deep.equal([
      'a.ts:1: /0+$/ is quadratic: a match may begin at each 0 that is repeated',
      "a.ts:3: new RegExp(s, 'g') is not a constant",
    ])
  })

  it('omits exempt expressions', () => {
    expect(regexpProblems(found, [exemption('a.ts', '/0+$/'), exemption('a.ts', "new RegExp(s, 'g')")])).to.deep.equal([])
  })

  it('reports unnecessary exemptions', () => {
    const needed = [exemption('a.ts', '/0+$/'), exemption('a.ts', "new RegExp(s, 'g')")]
    expect(regexpProblems(found, [...needed, exemption('b.ts', '/0+$/')])).to.deep.equal([
      'b.ts: /0+$/ is exempt, but no such expression needs it',
    ])
  })
})
