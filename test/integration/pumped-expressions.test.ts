/**
 * Functions and macros of the expression language with long texts, and long expressions: both take time in proportion
 * to their length.
 */

import { expect } from 'chai'
import { type Compiled, compileInSteps } from '../../src/cel/compile.ts'
import { makeProgram, type Program } from '../../src/cel/program/program.ts'
import { runInTurns } from '../../src/lib/steps.ts'
import { SHARED_TURNS, turnIsSpent } from '../../src/lib/turn.ts'
import { CALL_ENVIRONMENT, callVariables, functionCalls, MACRO_CALLS, macroCalls, moreCalls } from '../support/cel-calls.ts'
import { type Cost, growthText, superLinear } from '../support/growth.ts'
import { type PumpedText, pumped, pumpedName, pumpedTexts } from '../support/pumped-texts.ts'
import { turnCost } from '../support/turn-cost.ts'

/** Texts for each call, and expressions; `make fuzz`: all. */
const ALL = process.env.PUMPED_TEXTS !== undefined
const SEED = Number(process.env.MUTATION_SEED ?? 1)
const [PART = 0, PARTS = 1] = (process.env.LARGE_BODY_SHARE ?? '0/1').split('/').map(Number)
const TEXTS_OF_A_CALL = ALL ? Number.POSITIVE_INFINITY : 1
const LENGTHS = ALL ? [28, 100, 1000, 10_000, 100_000, 1_000_000] : [28, 1000, 10_000, 100_000]
const EXPRESSIONS = ALL ? Number.POSITIVE_INFINITY : 60
const EXPRESSION_LENGTHS = ALL ? [28, 250, 2000, 16_000, 99_000] : [28, 250, 2000, 16_000]

/** Pieces of expressions, with what may stand before and behind. */
const EXPRESSION_PIECES: readonly PumpedText[] = [
  ...[
    '(',
    '[',
    '{',
    '!',
    '-',
    'a.',
    'a[',
    'a(',
    'a?',
    'a?a:',
    '1+',
    '1*(',
    'a&&',
    'a||(',
    '[1].all(x,',
    '[a].map(x,',
    'has(a.',
    '{1:',
    'a{b:',
    'a.?',
    'a[?',
    'cel.bind(x,',
    '1 in ',
    'a==',
    'a<',
  ],
  ...[
    '"',
    '""',
    "'a'+",
    '"\\',
    '\\',
    '\\u0041',
    'r"',
    '"""',
    'b"',
    '`',
    '//',
    '// a\n',
    ' ',
    '\n',
    '0x',
    '1.',
    '1e',
    '9',
    '0u',
    '1.5e1',
    'é',
    'a.b.c.d',
    '"a".matches("(a*)*") &&',
    "'%s'.format([",
    '_',
  ],
].flatMap(piece =>
  [
    { before: '', after: '' },
    { before: '"', after: '\n' },
    { before: 'self.text.matches("', after: '")' },
    { before: '[', after: '}' },
    { before: 'a', after: 'x' },
  ].map(around => ({ ...around, piece })),
)

const rotated = <T>(items: readonly T[], by: number, most: number): T[] =>
  Array.from(
    { length: Math.min(most, items.length) },
    (_, i) => items[(by + i * (most < items.length ? Math.floor(items.length / most) | 1 : 1)) % items.length] as T,
  )

describe('CEL and long texts', function () {
  if (ALL) this.timeout(0)
  const wrong: string[] = []
  const turns: { readonly turn: number; readonly name: string }[] = []

  async function check(name: string, sizes: readonly number[], run: (size: number) => () => Promise<unknown>): Promise<void> {
    let turn = 0
    const growth = await superLinear(sizes, async size => {
      const cost: Cost = await turnCost(run(size))
      turn = Math.max(turn, cost.turn)
      return cost
    })
    if (growth) wrong.push(`${name}: ${growthText(growth)}`)
    if (growth && ALL) console.log(wrong.at(-1))
    turns.push({ turn, name })
  }
  beforeEach(() => {
    wrong.length = 0
    turns.length = 0
  })
  afterEach(() => {
    if (ALL)
      for (const { turn, name } of turns.sort((a, b) => b.turn - a.turn).slice(0, 25))
        console.log(`a turn of ${Math.round(turn)} ms: ${name}`)
  })

  it('has a call of every macro', () => {
    expect(Object.keys(MACRO_CALLS)).to.have.members([...CALL_ENVIRONMENT.macros.keys()])
  })

  function programOf(expression: string): Program {
    const { checked, issues } = runCompiled(expression)
    if (!checked) throw new Error(`${expression}: ${issues}`)
    const program = makeProgram(checked, CALL_ENVIRONMENT)
    if ('fault' in program) throw new Error(`${expression}: ${program.fault}`)
    return program
  }

  it('evaluate every function and macro in proportion to the length of its arguments', async () => {
    for (const [nth, { expression, isProduct }] of [...functionCalls(), ...macroCalls(), ...moreCalls()].entries()) {
      if (isProduct || nth % PARTS !== PART) continue
      const program = programOf(expression)
      for (const [i, text] of rotated(pumpedTexts(SEED + nth), SEED + nth * 13, TEXTS_OF_A_CALL).entries())
        await check(`${expression} with ${pumpedName(text)} (${i + nth})`, LENGTHS, length => {
          const variables = callVariables(text, length, i + nth)
          return async () => program.evaluateInTurns(variables, SHARED_TURNS)
        })
    }
    expect(wrong.join('\n')).to.equal('')
  })

  it('end a call whose cost is the product of two lengths at the cost limit', async () => {
    const seen: string[] = []
    const text = { before: '', piece: 'ab', after: '' }
    for (const { expression, isProduct } of [...functionCalls(), ...moreCalls()]) {
      if (!isProduct) continue
      const { error, isLimit } = {
        isLimit: false,
        ...(await programOf(expression).evaluateInTurns(callVariables(text, 200_000, 2), SHARED_TURNS)),
      }
      if (!isLimit) seen.push(`${expression}: ${error?.slice(0, 100)}`)
    }
    expect(seen.join('\n')).to.equal('')
  })

  it('compile expressions in proportion to their length', async () => {
    const texts = [...EXPRESSION_PIECES, ...pumpedTexts(SEED)]
    for (const [nth, text] of rotated(texts, SEED, EXPRESSIONS).entries()) {
      if (nth % PARTS !== PART) continue
      await check(pumpedName(text), EXPRESSION_LENGTHS, length => {
        const expression = pumped(text, length)
        return async () => {
          if (turnIsSpent()) await SHARED_TURNS.next()
          const { checked, issues } = await runInTurns(compileInSteps(expression, CALL_ENVIRONMENT))
          if (checked) makeProgram(checked, CALL_ENVIRONMENT)
          else String(issues)
        }
      })
    }
    expect(wrong.join('\n')).to.equal('')
  })
})

function runCompiled(expression: string): Compiled {
  const steps = compileInSteps(expression, CALL_ENVIRONMENT)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
