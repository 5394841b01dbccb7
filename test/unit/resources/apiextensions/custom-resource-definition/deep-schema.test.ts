import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import { ruleTreeInSteps } from '../../../../../src/cel/rules/rule-node.ts'
import type { Steps } from '../../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { ruledDefaults } from '../../../../../src/resources/apiextensions/custom-resource-definition/default-rules.ts'
import { validateDefaults } from '../../../../../src/resources/apiextensions/custom-resource-definition/default-values.ts'
import {
  type SchemaRules,
  validateOpenApiSchema,
} from '../../../../../src/resources/apiextensions/custom-resource-definition/open-api-schema.ts'
import { type DefinitionRules, rulesOfVersion } from '../../../../../src/resources/apiextensions/custom-resource-definition/ratchet.ts'
import { withKnownFormats, withoutIntOrString } from '../../../../../src/schema/json-schema/known-formats.ts'
import { someSchemaInSteps } from '../../../../../src/schema/json-schema/props.ts'
import { findStructuralFault } from '../../../../../src/schema/json-schema/structural-form.ts'
import { FIRST_VALUE_RULES } from '../../../../../src/schema/json-schema/value-rules.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const DEPTH = 320
const RULES: SchemaRules = {
  requireValidTypes: true,
  requireAtomicSets: true,
  requireMapKeys: true,
  storedExpressions: { rules: new Set(), messages: new Set() },
  minor: 33,
  boundsNames: false,
}

let lists: JsonSchemaProps = { type: 'string' }
for (let i = 0; i < DEPTH; i++) lists = { type: 'array', items: lists }
const wideSchema = (): JsonSchemaProps => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }])),
})
const wide = wideSchema()

describe('the schema of a CustomResourceDefinition', () => {
  const walks: Record<string, (schema: JsonSchemaProps) => Steps<unknown>> = {
    'its members': schema => validateOpenApiSchema(schema, fieldPath(), RULES, true),
    'its defaults': schema => validateDefaults(schema, fieldPath(), true, FIRST_VALUE_RULES),
  }
  for (const [what, walk] of Object.entries(walks)) {
    it(`yields far less often than once per level while ${what} are validated, as each yield passes through all levels above`, () => {
      const { yields, result } = countedSteps(walk(lists))
      expect(result).to.deep.equal([])
      expect(yields).to.be.below(DEPTH / 8)
    })

    it(`yields often while ${what} are validated if it is wide`, () => {
      expect(countedSteps(walk(wide)).yields).to.be.above(20_000 / 100)
    })
  }

  it('is searched in steps', () => {
    const { yields, result } = countedSteps(someSchemaInSteps(wide, ({ type }) => type === 'integer'))
    expect(result).to.equal(false)
    expect(yields).to.be.above(20)
    expect(countedSteps(someSchemaInSteps(lists, ({ type }) => type === 'string')).result).to.equal(true)
    expect(countedSteps(someSchemaInSteps(undefined, () => true)).result).to.equal(false)
  })

  const others: Record<string, (schema: JsonSchemaProps) => Steps<unknown>> = {
    'its structural form is searched': findStructuralFault,
    'its rules are searched': schema => ruleTreeInSteps(schema, true),
    'its defaults with rules are searched': schema => ruledDefaults(schema, fieldPath()),
    'its unknown formats are removed': schema => withKnownFormats(schema, FIRST_VALUE_RULES),
    'it is compared with the stored one': schema =>
      rulesOfVersion({ storedSchemas: new Map([['v1', wideSchema()]]) } as unknown as DefinitionRules, 'v1', schema),
  }
  for (const [what, walk] of Object.entries(others))
    it(`yields while ${what} if it is wide`, () => {
      expect(countedSteps(walk(wideSchema())).yields).to.be.at.least(35)
    })

  it('yields while many alternatives are searched, even if they are known to have a structural form', () => {
    const anyOf = Array.from({ length: 20_000 }, () => ({ minLength: 1 }))
    expect(countedSteps(findStructuralFault({ anyOf })).yields).to.be.at.least(600)
    expect(countedSteps(findStructuralFault({ anyOf })).yields).to.be.at.least(35)
  })

  it('keeps defaults in the order of their positions, each before those below it', () => {
    const rule = { rule: 'true' }
    const text = { type: 'string', default: 'd', 'x-kubernetes-validations': [rule] }
    const schema = {
      type: 'object',
      default: {},
      properties: { a: { type: 'object', default: {}, properties: { b: text } }, c: { type: 'array', items: text }, d: { default: 1 } },
    }
    expect(countedSteps(ruledDefaults(schema, fieldPath())).result.map(({ path }) => String(path))).to.deep.equal([
      'default',
      'properties[a].default',
      'properties[a].properties[b].default',
      'properties[c].items.default',
    ])
  })

  it('loses only what a copy is made for, in every position', () => {
    const text = { type: 'string', format: 'none' }
    const positions = (each: JsonSchemaProps): JsonSchemaProps => ({
      allOf: [each],
      anyOf: [each],
      oneOf: [each],
      not: each,
      items: each,
      additionalProperties: each,
      properties: { a: { type: 'object', properties: { b: each } } },
    })
    expect(countedSteps(withKnownFormats(positions(text), FIRST_VALUE_RULES)).result).to.deep.equal(positions({ type: 'string' }))
    const either = { 'x-kubernetes-int-or-string': true, maximum: 1 }
    expect(countedSteps(withoutIntOrString(positions(either))).result).to.deep.equal(positions({ maximum: 1 }))
  })
})
