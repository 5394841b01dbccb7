import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { StatusError } from '../../../../../src/meta/status.ts'
import { customResourceDefinitionResource } from '../../../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { goSchema } from '../../../../../src/resources/apiextensions/custom-resource-definition/go-schema.ts'
import { KindCases } from '../../../../support/kind-cases.ts'

/** Members of a schema without values, as the machinery of kube-apiserver 1.33 prints them. */
const EMPTY = [
  ...'ID:"", Schema:"", Ref:(*string)(nil), Description:"", Type:"", Nullable:false, Format:"", Title:""'.split(', '),
  ...'Default:(*apiextensions.JSON)(nil), Maximum:(*float64)(nil), ExclusiveMaximum:false, Minimum:(*float64)(nil)'.split(', '),
  ...'ExclusiveMinimum:false, MaxLength:(*int64)(nil), MinLength:(*int64)(nil), Pattern:"", MaxItems:(*int64)(nil)'.split(', '),
  ...'MinItems:(*int64)(nil), UniqueItems:false, MultipleOf:(*float64)(nil), Enum:[]apiextensions.JSON(nil)'.split(', '),
  ...'MaxProperties:(*int64)(nil), MinProperties:(*int64)(nil), Required:[]string(nil)'.split(', '),
  ...'Items:(*apiextensions.JSONSchemaPropsOrArray)(nil), AllOf:[]apiextensions.JSONSchemaProps(nil)'.split(', '),
  ...'OneOf:[]apiextensions.JSONSchemaProps(nil), AnyOf:[]apiextensions.JSONSchemaProps(nil)'.split(', '),
  ...'Not:(*apiextensions.JSONSchemaProps)(nil), Properties:map[string]apiextensions.JSONSchemaProps(nil)'.split(', '),
  ...'AdditionalProperties:(*apiextensions.JSONSchemaPropsOrBool)(nil)'.split(', '),
  ...'PatternProperties:map[string]apiextensions.JSONSchemaProps(nil)'.split(', '),
  ...'Dependencies:apiextensions.JSONSchemaDependencies(nil), AdditionalItems:(*apiextensions.JSONSchemaPropsOrBool)(nil)'.split(', '),
  ...'Definitions:apiextensions.JSONSchemaDefinitions(nil), ExternalDocs:(*apiextensions.ExternalDocumentation)(nil)'.split(', '),
  ...'Example:(*apiextensions.JSON)(nil), XPreserveUnknownFields:(*bool)(nil), XEmbeddedResource:false, XIntOrString:false'.split(', '),
  ...'XListMapKeys:[]string(nil), XListType:(*string)(nil), XMapType:(*string)(nil)'.split(', '),
  ...'XValidations:apiextensions.ValidationRules(nil)'.split(', '),
]

/** Returns the text of a schema that has values for some members. */
const withMembers = (values: Record<string, string>): string => {
  const members = EMPTY.map(member => {
    const name = member.slice(0, member.indexOf(':'))
    return name in values ? `${name}:${values[name]}` : member
  })
  return `apiextensions.JSONSchemaProps{${members.join(', ')}}`
}

async function messageOf(release: '1.33' | '1.34', schema: JsonSchemaProps): Promise<string> {
  const cases = new KindCases(customResourceDefinitionResource, parseGates(release))
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } }]
  const spec = { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions }
  const error: unknown = await cases.create({ spec }, { name: 'widgets.example.com' }).catch((thrown: unknown) => thrown)
  return (error as StatusError).worded(release === '1.33' ? '1.24' : '1.34').status.message ?? ''
}

describe('printed schemas of definitions', () => {
  it('print as the Go struct, with nested schemas, and with addresses for pointers', () => {
    const text = goSchema({
      type: 'object',
      oneOf: [{ required: ['spec'] }],
      properties: { a: { nullable: true, minLength: 1, default: 'x' } },
    }).text
    const oneOf = `[]apiextensions.JSONSchemaProps{${withMembers({ Required: '[]string{"spec"}' })}}`
    const a = withMembers({ Nullable: 'true', MinLength: '(*int64)(0xc000000000)', Default: '(*apiextensions.JSON)(0xc000000000)' })
    expect(text).to.equal(withMembers({ Properties: `map[string]apiextensions.JSONSchemaProps{"a":${a}}`, OneOf: oneOf, Type: '"object"' }))
  })

  it('print values, rules and dependencies', () => {
    const text = goSchema({
      enum: ['x', null, 1, { a: null }],
      dependencies: { b: ['x'], a: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'true', reason: 'FieldValueInvalid' }],
    }).text
    expect(text).to.contain('Enum:[]apiextensions.JSON{"x", apiextensions.JSON(nil), 1, map[string]interface {}{"a":interface {}(nil)}}, ')
    expect(text).to.contain(
      'Dependencies:apiextensions.JSONSchemaDependencies{"a":apiextensions.JSONSchemaPropsOrStringArray{Schema:(*apiextensions.JSONSchemaProps)(0xc000000000), Property:[]string(nil)}, ' +
        '"b":apiextensions.JSONSchemaPropsOrStringArray{Schema:(*apiextensions.JSONSchemaProps)(nil), Property:[]string{"x"}}}, ',
    )
    expect(text).to.match(
      /XValidations:apiextensions\.ValidationRules\{apiextensions\.ValidationRule\{Rule:"true", Message:"", MessageExpression:"", Reason:\(\*apiextensions\.FieldValueErrorReason\)\(0xc000000000\), FieldPath:"", OptionalOldSelf:\(\*bool\)\(nil\)\}\}\}$/,
    )
  })

  it('are cut at 65,536 characters', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: 'string' }]))
    expect(goSchema({ properties }).text).to.have.length(65_536)
  })

  it('show in the error of a root schema that the status subresource does not permit, and as JSON since 1.34', async () => {
    const schema: JsonSchemaProps = { type: 'object', oneOf: [{ required: ['spec'] }] }
    expect(await messageOf('1.33', schema)).to.contain('Invalid value: apiextensions.JSONSchemaProps{ID:')
    expect(await messageOf('1.34', schema)).to.contain('Invalid value: {"ID":"","Schema":"","Ref":null,')
  })
})
