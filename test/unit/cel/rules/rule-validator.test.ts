import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import type { Turns } from '../../../../src/cel/program/program.ts'
import { type RuleNode, ruleTree } from '../../../../src/cel/rules/rule-node.ts'
import { type RuleResult, runRules } from '../../../../src/cel/rules/rule-validator.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { Correlation } from '../../../../src/schema/json-schema/correlation.ts'

/** Results of the rules of custom resources: see test/fixtures/cel. */
interface RulesCase {
  readonly name: string
  readonly schema: JsonSchemaProps
  readonly whole?: boolean
  readonly value: Json
  readonly old?: Json
  readonly ratchet?: boolean
  readonly budget?: number
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  readonly remaining: number
}

const cases = JSON.parse(readFileSync(new URL('../../../fixtures/cel/rules.json', import.meta.url), 'utf8')) as RulesCase[]

async function run({ schema, whole = false, value, old, ratchet, budget }: RulesCase, turns?: Turns): Promise<RuleResult> {
  const tree = ruleTree(schema, whole)
  if (!tree) return { errors: [], warnings: [], remaining: budget ?? 10_000_000 }
  const correlated = ratchet ? new Correlation(value, old ?? null, schema) : undefined
  return runRules(tree, { value, old, correlated, ...(budget === undefined ? {} : { budget }), ...(turns ? { turns } : {}) })
}

/** Errors and warnings as texts. */
const shown = ({ errors, warnings, remaining }: RuleResult): object => ({
  errors: errors.map(fieldErrorText),
  warnings: warnings.map(fieldErrorText),
  remaining,
})

describe('rules of a schema', () => {
  for (const one of cases) {
    it(one.name, async () => {
      const { errors, warnings, remaining } = await run(one)
      // The path of the root prints as <nil> upstream, which no object shows: its rules are below it there.
      const texts = errors.map(fieldErrorText).map(text => text.replace(/^: /, '<nil>: '))
      expect({
        errors: texts.sort(),
        warnings: warnings
          .map(fieldErrorText)
          .map(text => text.replace(/^: /, '<nil>: '))
          .sort(),
        remaining,
      }).to.deep.equal({
        errors: [...one.errors],
        warnings: [...one.warnings],
        remaining: one.remaining,
      })
    })
  }

  for (const [lists, size] of [
    [
      [
        ['a', 'a'],
        ['a', 'b'],
      ],
      3,
    ],
    [
      [
        ['a', 'a'],
        ['a', 'a'],
      ],
      2,
    ],
    [[['a', 'a'], ['b']], 3],
    [[['a'], ['b', 'b']], 2],
  ] as const)
    it(`keep the stored duplicates of the left set: ${JSON.stringify(lists)}`, async () => {
      const set: JsonSchemaProps = { type: 'array', items: { type: 'string' }, maxItems: 2, 'x-kubernetes-list-type': 'set' }
      const rule = `(self.l[0] + self.l[1]).size() == ${size}`
      const l: JsonSchemaProps = { type: 'array', items: set, maxItems: 2 }
      const schema: JsonSchemaProps = { type: 'object', properties: { l }, 'x-kubernetes-validations': [{ rule }] }
      const { errors } = await run({ name: '', schema, value: { l: lists as unknown as Json }, errors: [], warnings: [], remaining: 0 })
      expect(errors).to.deep.equal([])
    })

  it('have the same result in turns of any length', async () => {
    const turns: Turns = { spent: () => true, next: () => Promise.resolve() }
    for (const one of cases) {
      expect(shown(await run(one, turns)), one.name).to.deep.equal(shown(await run(one)))
    }
  })

  it('are compiled individually, on first use', async () => {
    const rules = Array.from({ length: 5 }, () => ({ rule: 'self > 0' }))
    const tree = ruleTree({ type: 'integer', 'x-kubernetes-validations': rules }, false) as RuleNode
    // A rule that has not been run may still be changed.
    const change = async (): Promise<void> => {
      Object.assign(rules[4] as object, { rule: 'self < 0' })
    }
    const broken: Turns = { spent: () => true, next: change }
    const { errors } = await runRules(tree, { value: 1, turns: broken })
    expect(errors.map(({ body }) => body)).to.deep.equal(['Invalid value: "integer": failed rule: self < 0'])
  })
})
