import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import type { Steps } from '../../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { validateDefaults } from '../../../../../src/resources/apiextensions/custom-resource-definition/default-values.ts'
import {
  type SchemaRules,
  validateOpenApiSchema,
} from '../../../../../src/resources/apiextensions/custom-resource-definition/open-api-schema.ts'
import { someSchemaInSteps } from '../../../../../src/schema/json-schema/props.ts'
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
const wide: JsonSchemaProps = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }])),
}

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
})
