import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ruleTree } from '../../../../src/cel/rules/rule-node.ts'
import { type RuleResult, validateRules } from '../../../../src/cel/rules/rule-validator.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import type { Json } from '../../../../src/meta/object.ts'
import { Correlation } from '../../../../src/schema/json-schema/correlation.ts'
import type { JsonSchemaProps } from '../../../../src/schema/json-schema/props.ts'

/** What the rules of custom resources come to: see test/fixtures/cel. */
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

async function run({ schema, whole = false, value, old, ratchet, budget }: RulesCase, pause?: () => Promise<void> | undefined): Promise<RuleResult> {
  const tree = ruleTree(schema, whole)
  if (!tree) return { errors: [], warnings: [], remaining: budget ?? 10_000_000 }
  const correlated = ratchet ? new Correlation(value, old ?? null, schema) : undefined
  return validateRules(tree, { value, old, correlated, ...(budget === undefined ? {} : { budget }), ...(pause ? { pause } : {}) })
}

describe('rules of a schema', () => {
  for (const one of cases) {
    it(one.name, async () => {
      const { errors, warnings, remaining } = await run(one)
      // The path of the root prints as <nil> upstream, which no object shows: its rules are below it there.
      const texts = errors.map(fieldErrorText).map(text => text.replace(/^: /, '<nil>: '))
      expect({ errors: texts.sort(), warnings: [...warnings].map(text => text.replace(/^: /, '<nil>: ')).sort(), remaining }).to.deep.equal({
        errors: [...one.errors],
        warnings: [...one.warnings],
        remaining: one.remaining,
      })
    })
  }

  it('let others have their turn between them', async () => {
    const several = cases.find(({ name }) => name === 'several')!
    let asked = 0
    const { errors } = await run(several, () => (++asked % 2 === 0 ? Promise.resolve() : undefined))
    expect(errors).to.have.length(2)
    expect(asked).to.equal(3)
  })
})
