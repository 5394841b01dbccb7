import { expect } from 'chai'
import { compile } from '../../../src/cel/compile.ts'
import { baseEnvironment, EVERY_RELEASE } from '../../../src/cel/environment.ts'
import { OPTIONAL_MACROS, STANDARD_MACROS, TWO_VARIABLE_MACROS } from '../../../src/cel/macros.ts'
import { parseExpression } from '../../../src/cel/parser.ts'
import { smallerSizeForCost } from '../../../src/cel/values/sizes.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { expectNoSquare } from '../../support/processor-cost.ts'

const environment = baseEnvironment(EVERY_RELEASE)
const messages = (text: string): string[] => compile(text, environment).issues.all.map(({ message }) => message)
const macros = new Map([...STANDARD_MACROS, ...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS])

describe('the cost of a CEL expression is linear in its length', () => {
  for (const piece of ['!', '-', '"', '{', '?', 'a.', 'a{', '\\', '[?', "'''", 'b', '1e', '`', '&', '.', '😁'])
    it(`parser: ${piece}`, () =>
      expectNoSquare(
        length => () => runAtOnce(parseExpression(piece.repeat(length / piece.length), { macros, optionalSyntax: true })),
        19_800,
      ))

  it('compiler: terms', () =>
    expectNoSquare(count => () => expect(messages(`1 == 1${' && 1 == 1'.repeat(count)}`)).to.deep.equal([]), 1_800))
  it('compiler: items', () =>
    expectNoSquare(count => () => expect(messages(`[${'[], '.repeat(count)}[]].size() == 0`)).to.deep.equal([]), 4_000))
  for (const piece of ["\\'''\n", '\\"""\n'])
    it(`compiler: ${JSON.stringify(piece)}`, () =>
      expectNoSquare(count => () => expect(messages(piece.repeat(count))).to.not.have.length(0), 2000))
})

describe('smallerSizeForCost', () => {
  it('does not read more of the longer text than the shorter has', () => {
    expectNoSquare(count => {
      const long = 'a'.repeat(count)
      return () => {
        for (let i = 0; i < count / 100; i++) smallerSizeForCost('short', long)
      }
    }, 50_000)
  })
})
