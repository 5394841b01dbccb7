import { expect } from 'chai'
import type { JsonSchemaProps, ValidationRule } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import { declareTypes } from '../../../../../src/cel/schema/declared-type.ts'
import { escapeProperty } from '../../../../../src/cel/schema/property-names.ts'
import { printType } from '../../../../../src/cel/type.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { RuleCosts } from '../../../../../src/resources/apiextensions/custom-resource-definition/rule-costs.ts'
import { validateRuleExpressions } from '../../../../../src/resources/apiextensions/custom-resource-definition/rule-expressions.ts'

const NOTHING_STORED = { rules: new Set<string>(), messages: new Set<string>() }
const text: JsonSchemaProps = { type: 'string' }
const object = (properties: Record<string, JsonSchemaProps>): JsonSchemaProps => ({ type: 'object', properties })

/** The errors of a rule with their paths below it, without the rule as Go prints it. */
function faults(schema: JsonSchemaProps, rule: Partial<ValidationRule>, { whole = false, stored = NOTHING_STORED } = {}): string[] {
  const ruled = { ...schema, 'x-kubernetes-validations': [{ rule: 'true', ...rule }] }
  return runAtOnce(
    validateRuleExpressions(ruled, fieldPath('s'), {
      whole,
      stored,
      minor: 32,
      boundsNames: false,
      costs: new RuleCosts(true),
      occurrences: 1n,
    }),
  ).map(({ field, body }) => {
    const what = body
      .replace(/Invalid value: (apiextensions\.ValidationRule\{.*?OptionalOldSelf:\(\*bool\)\([^)]*\)\}: )?/s, '')
      .split('\n')[0]
    return `${field.replace('s.x-kubernetes-validations[0].', '')}: ${what}`
  })
}

describe('rules of custom resource definitions', () => {
  it('have the types of the schema', () => {
    const types: [JsonSchemaProps, string | undefined][] = [
      [text, 'string'],
      [{ type: 'string', format: 'date-time' }, 'timestamp'],
      [{ type: 'string', format: 'duration' }, 'duration'],
      [{ type: 'string', format: 'byte' }, 'bytes'],
      [{ type: 'integer' }, 'int'],
      [{ type: 'number' }, 'double'],
      [{ 'x-kubernetes-int-or-string': true }, 'dyn'],
      [{ type: 'array', items: text }, 'list(string)'],
      [{ type: 'object', additionalProperties: { type: 'array', items: object({}) } }, 'map(string, list(T.@elem.@idx))'],
      [object({}), 'T'],
      [{ 'x-kubernetes-preserve-unknown-fields': true }, undefined],
      [{ type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }, undefined],
    ]
    for (const [schema, printed] of types) {
      const { type } = declareTypes(schema, false, 'T')
      expect(type && printType(type), JSON.stringify(schema)).to.equal(printed)
    }
  })

  it('escape names of properties', () => {
    expect(['a.b', 'a-b', 'a/b', 'a__b', 'namespace', 'a_b', '1a', 'a b', ''].map(escapeProperty)).to.deep.equal([
      'a__dot__b',
      'a__dash__b',
      'a__slash__b',
      'a__underscores__b',
      '__namespace__',
      'a_b',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('report compile errors', () => {
    const schema = object({ a: text, b: { type: 'integer' }, 'c.d': text, namespace: text })
    const cases: [Partial<ValidationRule>, string[]][] = [
      [{ rule: "self.a == 'x' && self.b > 1 && self.c__dot__d == 'y' && self.namespace == 'z' && self.__namespace__ == 'z'" }, []],
      [
        { rule: 'self.a >' },
        [
          /* of the parser */ "rule: compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
      ],
      [{ rule: 'self.zz == 1' }, ["rule: compilation failed: ERROR: <input>:1:5: undefined field 'zz'"]],
      [
        { rule: 'self.size() == 0' },
        ["rule: compilation failed: ERROR: <input>:1:10: found no matching overload for 'size' applied to 'selfType.()'"],
      ],
      [{ rule: 'self.b' }, ['rule: cel expression must evaluate to a bool']],
      [{ rule: 'google.protobuf.BoolValue{value: true} == true' }, []],
      [{ rule: 'google.protobuf.BoolValue{value: true}' }, ['rule: cel expression must evaluate to a bool']],
      [
        { messageExpression: "google.protobuf.StringValue{value: 'a'}" },
        ['messageExpression: messageExpression must evaluate to a string'],
      ],
      [{ rule: "self.a.find('(') == ''" }, ['rule: program instantiation failed: error parsing regexp: missing closing ): `(`']],
      [{ messageExpression: 'self.a' }, []],
      [{ messageExpression: 'self.b' }, ['messageExpression: messageExpression must evaluate to a string']],
      [
        { messageExpression: 'foo' },
        ["messageExpression: messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')"],
      ],
      [{ rule: 'oldSelf.orValue(self) == self', optionalOldSelf: true }, []],
      [{ optionalOldSelf: false }, ['optionalOldSelf: false: may not be set if oldSelf is not used in rule']],
    ]
    for (const [rule, expected] of cases) expect(faults(schema, rule), JSON.stringify(rule)).to.deep.equal(expected)
  })

  it('see only the names of whole objects', () => {
    const schema = object({ metadata: { type: 'object' } })
    expect(
      faults(schema, { rule: 'self.metadata.name == self.kind + self.apiVersion + self.metadata.generateName' }, { whole: true }),
    ).to.deep.equal([])
    expect(faults(schema, { rule: 'has(self.metadata.labels)' }, { whole: true })[0]).to.contain("undefined field 'labels'")
    expect(faults(schema, { rule: 'has(self.kind)' })[0]).to.contain("undefined field 'kind'")
  })

  it('keep functions of a newer release that they use already', () => {
    const rule = 'isSemver(self)'
    expect(faults(text, { rule })[0]).to.contain("undeclared reference to 'isSemver'")
    expect(faults(text, { rule }, { stored: { ...NOTHING_STORED, rules: new Set([rule]) } })).to.deep.equal([])
  })
})
