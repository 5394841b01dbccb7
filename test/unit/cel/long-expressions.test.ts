import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../src/api/apiextensions/json-schema-props.ts'
import type { Checked } from '../../../src/cel/checked.ts'
import { checkTypes } from '../../../src/cel/checker.ts'
import { compile } from '../../../src/cel/compile.ts'
import { estimateCostInSteps } from '../../../src/cel/cost/estimate.ts'
import { baseEnvironment, EVERY_RELEASE, extend } from '../../../src/cel/environment.ts'
import { checkLiterals } from '../../../src/cel/literal-checks.ts'
import { parseExpression } from '../../../src/cel/parser.ts'
import { makeProgramInSteps } from '../../../src/cel/program/program.ts'
import { ruleTree } from '../../../src/cel/rules/rule-node.ts'
import { DYN } from '../../../src/cel/type.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const environment = extend(baseEnvironment(EVERY_RELEASE), { self: DYN })
const LENGTH = 99_000
/** Some hundred nodes may be between two yields: no stage goes through so many characters in one step. */
const MOST_CHARACTERS_OF_A_STEP = 12_000
/** There is a step more than yields. */
const LEAST_YIELDS = LENGTH / MOST_CHARACTERS_OF_A_STEP - 1

/** Repeats a piece up to the maximum length of an expression. */
const row = (piece: string, end: string, begin = ''): string =>
  begin + piece.repeat(Math.floor((LENGTH - begin.length - end.length) / piece.length)) + end
const nested = (open: string, core: string, close: string, depth: number): string => open.repeat(depth) + core + close.repeat(depth)

const messages = (text: string): string[] => compile(text, environment).issues.all.map(({ message }) => message)

/** Expressions that every stage accepts. */
const WHOLE: Record<string, string> = {
  'a list of numbers': row('1, ', '1].size() > 0', '['),
  'a list of names': row('self, ', 'self].size() > 0', '['),
  'a map': `{${Array.from({ length: 10_000 }, (_, i) => `${i}: 1`).join(', ')}}.size() > 0`,
  'terms of an operator': row('1 < 2 && ', 'true'),
  macros: row('[1].all(x, x > 0) && ', 'true'),
  'presence tests': row('has(self.a) || ', 'true'),
  'macros in macros': row(`${nested('[1].all(x, ', 'x > 0', ')', 40)} && `, 'true'),
  'calls of functions': row('size([]), ', '1].size() > 0', '['),
  'format clauses': `'${'%s'.repeat(19_000)}'.format([${Array(19_000).fill('1').join(', ')}]) != ''`,
}

describe('a long expression', () => {
  for (const [what, text] of Object.entries(WHOLE))
    it(`is compiled in short steps: ${what}`, () => {
      const { result: parsed, yields: parsing } = countedSteps(parseExpression(text, { macros: environment.macros, optionalSyntax: true }))
      expect(String(parsed.issues)).to.equal('')
      expect(parsing, 'parse').to.be.above(LEAST_YIELDS)
      const { result: checked, yields: checking } = countedSteps<Checked>(checkTypes(parsed.ast!, environment, parsed.issues))
      expect(checking, 'check').to.be.above(LEAST_YIELDS)
      expect(countedSteps(checkLiterals(checked, parsed.issues)).yields, 'checkLiterals').to.be.above(LEAST_YIELDS)
      expect(countedSteps(makeProgramInSteps(checked, environment)).yields, 'makeProgram').to.be.above(LEAST_YIELDS)
      expect(countedSteps(estimateCostInSteps(checked, () => undefined)).yields, 'estimateCost').to.be.above(LEAST_YIELDS)
    })

  const READ: Record<string, [text: string, message: RegExp]> = {
    'brackets in brackets': [row(`${nested('(', '1', ')', 100)}, `, '1].size() > 0', '['), /^$/],
    'a row of selections': [row('.a', '', 'self'), /max recursion depth/],
    'a row of sums': [row('1+', '1'), /max recursion depth/],
    'characters that begin no token': [row('#', '1'), /token recognition/],
    'invalid arguments of a macro': [row('has(a) || ', 'true'), /invalid argument to has/],
    'a macro that copies its target': [`optional.of(1)${'.optMap(x, x)'.repeat(14)}.hasValue()`, /node limit exceeded/],
  }
  for (const [what, [text, message]] of Object.entries(READ))
    it(`is parsed in short steps: ${what}`, () => {
      const { result, yields } = countedSteps(parseExpression(text, { macros: environment.macros, optionalSyntax: true }))
      expect(String(result.issues)).to.match(message)
      expect(yields).to.be.above(LEAST_YIELDS)
    })

  it('is rejected if nested macros double a type', () => {
    expect(messages(`[1]${'.map(x, {x: x})'.repeat(7)}.size() > 0`)).to.deep.equal([])
    for (const range of ['[1]', '[]', '[self]']) {
      expect(messages(`${range}${'.map(x, {x: x})'.repeat(20)}.size() > 0`), range).to.deep.equal(['type size limit exceeded: 1000'])
    }
  })

  it('may have types as deep as the nesting limit', () => {
    expect(messages(`${nested('[', '1', ']', 200)}.size() > 0`)).to.deep.equal([])
    expect(messages(`${nested('[', '', ']', 200)}.size() > 0`)).to.deep.equal([])
  })

  it('in a rule is compiled in turns, once for all waiting requests', async () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      properties: {},
      'x-kubernetes-validations': [{ rule: WHOLE.macros! }, { rule: 'true' }],
    }
    const rules = ruleTree(schema, false)!.rules()
    if ('fault' in rules) throw new Error(rules.fault)
    const [long, short] = rules
    const { now } = performance
    let time = now.call(performance)
    // Each look at the clock is a millisecond later.
    performance.now = () => time++
    try {
      const first = long!()
      expect(first).to.be.instanceOf(Promise)
      expect(long!()).to.equal(first)
      const compiled = await first
      expect(compiled.program).to.not.equal(undefined)
      expect(long!()).to.equal(compiled)
      performance.now = () => time
      await new Promise(resolve => setImmediate(resolve))
      expect(short!()).to.not.be.instanceOf(Promise)
    } finally {
      performance.now = now
    }
  })
})
