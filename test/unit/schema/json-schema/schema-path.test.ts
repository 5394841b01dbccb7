import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import { followSchemaPath, SchemaPathError } from '../../../../src/schema/json-schema/schema-path.ts'

const text: JsonSchemaProps = { type: 'string' }
const schema: JsonSchemaProps = {
  properties: { spec: { properties: { a: text, 'x.y': text, m: { additionalProperties: text }, l: { items: text } } } },
}

const table: [path: string, leads: string][] = [
  ['.spec.a', 'spec.a'],
  ['.spec', 'spec'],
  ['.spec.m.k', 'spec.m[k]'],
  [".spec.m['k.l']", 'spec.m[k.l]'],
  [".spec['x.y']", 'spec.x.y'],
  [".spec.m['it\\'s']", "spec.m[it's]"],
]
const errors: [path: string, text: string][] = [
  ['spec.a', 'expected [ or . but got: spec'],
  ['.spec.b', 'does not refer to a valid field'],
  ['.spec.a.b', 'does not refer to a valid field'],
  ['.spec..a', 'does not refer to a valid field'],
  ['.spec.', 'unexpected end of JSON path'],
  ['.spec.l[0]', 'expected single quoted string but got 0'],
  ['.spec.m["k"]', 'expected single quoted string but got "k"'],
  [".spec.m['k'", 'unexpected end of JSON path'],
  [".spec.m['\\q']", 'invalid string literal: invalid escape char \\q'],
  ['.spec.constructor', 'does not refer to a valid field'],
]

describe('paths in schemas', () => {
  for (const [path, leads] of table) {
    it(path, () => {
      const place = followSchemaPath(path, schema)
      expect([place.path.text, place.root]).to.deep.equal([leads, 'spec'])
    })
  }
  for (const [path, message] of errors) {
    it(`${path}: ${message}`, () =>
      expect(() => followSchemaPath(path, schema))
        .to.throw(SchemaPathError)
        .with.property('message', message))
  }
  it('may disallow brackets', () => expect(() => followSchemaPath(".spec['a']", schema, false)).to.throw('array notation is not allowed'))
})
