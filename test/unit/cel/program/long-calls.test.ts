import { expect } from 'chai'
import { compile } from '../../../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../../../src/cel/environment.ts'
import { AuthorizerValue } from '../../../../src/cel/functions/authorization.ts'
import { makeProgram, type ProgramOutcome } from '../../../../src/cel/program/program.ts'
import { DYN, parseType, STRING } from '../../../../src/cel/type.ts'
import { listOfValues } from '../../../../src/cel/values/list.ts'
import type { Value } from '../../../../src/cel/values/value.ts'

const LIMIT = 'operation cancelled: actual cost limit exceeded'
const environment = extend(baseEnvironment(33), {
  authorizer: parseType('kubernetes.authorization.Authorizer'),
  text: STRING,
  pattern: STRING,
  list: DYN,
})

/** Evaluates with turns that are always spent, or in one. `asked`: how often the authorizer is asked. */
async function evaluate(
  expression: string,
  text: string,
  pattern = '',
  isSpent = true,
): Promise<{ outcome: ProgramOutcome; asked: number; turns: number }> {
  let [asked, turns] = [0, 0]
  const authorizer = new AuthorizerValue(() => {
    asked++
    return { allowed: true, reason: '' }
  })
  const { checked, issues } = compile(expression, environment)
  if (!checked) throw new Error(String(issues))
  const program = makeProgram(checked, environment)
  if ('fault' in program) throw new Error(program.fault)
  const values = new Map<string, Value>([
    ['authorizer', authorizer],
    ['text', text],
    ['pattern', pattern],
    ['list', listOfValues([text, text])],
  ])
  const next = async (): Promise<void> => void turns++
  const outcome = await program.evaluateInTurns(values, { spent: () => isSpent, next })
  return { outcome, asked, turns }
}

const ALLOWED = 'authorizer.path("/a").check("get").allowed()'
const SEARCH = 'text.find("(?s)(.a|.b)*x") == ""'

describe('a long function call', () => {
  const once: readonly [expression: string, asked: number][] = [
    [`${ALLOWED} && ${SEARCH}`, 1],
    [`list.all(t, ${ALLOWED} && t.find("(?s)(.a|.b)*x" + t.substring(0, 1)) == "")`, 2],
  ]
  for (const [expression, count] of once)
    it(`is not repeated in each turn of the work after it: ${expression}`, async () => {
      const alone = await evaluate(SEARCH, 'ab'.repeat(10_000))
      const { outcome, asked, turns } = await evaluate(expression, 'ab'.repeat(10_000))
      expect(turns).to.be.at.least(alone.turns).and.above(5)
      expect(asked).to.equal(count)
      expect(outcome.value).to.equal(true)
      expect(outcome.cost).to.equal((await evaluate(expression, 'ab'.repeat(10_000), '', false)).outcome.cost)
    })

  for (const expression of [
    'text.matches(pattern)',
    'matches(text, pattern)',
    'text.find(pattern) == ""',
    'text.findAll(pattern) == []',
    'text.findAll(pattern, 1) == []',
  ])
    it(`is rejected before it searches beyond the cost limit: ${expression}`, async () => {
      const { outcome, turns } = await evaluate(expression, 'a'.repeat(20_000), 'a'.repeat(3000))
      expect(outcome.error).to.equal(LIMIT)
      expect(turns).to.equal(0)
    })

  it('stops at the cost limit if each match scans the rest of the text', async () => {
    const { outcome, turns } = await evaluate('text.findAll("(?s).*x|a") == []', 'a'.repeat(20_000))
    expect(outcome.error).to.equal(LIMIT)
    expect(turns).to.be.below(10_000)
  })

  it('to findAll on a long text is charged linearly', async () => {
    const { outcome } = await evaluate('text.findAll("a").size() == 1000', 'a'.repeat(1000))
    expect(outcome.value).to.equal(true)
  })
})
