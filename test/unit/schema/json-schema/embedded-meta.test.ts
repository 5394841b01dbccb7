import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { coerceEmbeddedMeta, validateEmbeddedMeta } from '../../../../src/schema/json-schema/embedded-meta.ts'

const object: JsonSchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }
const at = fieldPath('d')

describe('metadata of embedded objects', () => {
  it('loses unknown members at any position of the object', () => {
    const value: Json = { m: { k: [{ kind: 'K', metadata: { name: 'x', colour: 'red' }, spec: { metadata: { colour: 'red' } } }] } }
    const schema: JsonSchemaProps = { properties: { m: { additionalProperties: { items: object } } } }
    expect(runAtOnce(coerceEmbeddedMeta(value, schema, at))).to.equal(undefined)
    expect(value).to.deep.equal({ m: { k: [{ kind: 'K', metadata: { name: 'x' }, spec: { metadata: { colour: 'red' } } }] } })
  })

  const misfits: Record<string, [Json, string]> = {
    'a kind that is a number': [{ kind: 1 }, 'd.kind: Invalid value: 1: must be a string'],
    'metadata that is a text': [
      { metadata: 'x' },
      'd.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    ],
    'a label that is a number': [
      { metadata: { labels: { a: 1 } } },
      'd.metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  }
  for (const [name, [value, text]] of Object.entries(misfits)) {
    it(name, () => {
      const error = runAtOnce(coerceEmbeddedMeta(value, object, at))
      expect(error && fieldErrorText(error)).to.equal(text)
    })
  }

  const objects: Record<string, [Json, string[]]> = {
    'a finalizer without a domain, which is not validated': [{ apiVersion: 'v1', kind: 'K', metadata: { finalizers: ['a'] } }, []],
    'an object without a name': [{ apiVersion: 'a/v1', kind: 'K', metadata: {} }, []],
    'no kind': [{}, ['d.apiVersion: Required value: must not be empty', 'd.kind: Required value: must not be empty']],
    'an empty kind': [{ apiVersion: '', kind: 'K' }, ['d.apiVersion: Invalid value: "": must not be empty']],
    'a long version': [{ apiVersion: 'a/b/c', kind: 'K' }, ['d.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c']],
    'a bad name': [
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'a/b' } },
      ['d.metadata.name: Invalid value: "a/b": may not contain \'/\''],
    ],
  }
  for (const [name, [value, texts]] of Object.entries(objects)) {
    it(name, () => expect(runAtOnce(validateEmbeddedMeta(value, object, at)).map(fieldErrorText)).to.deep.equal(texts))
  }

  const many = (count: number): Record<string, string> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 'x']))
  const wide: Record<string, [value: Json, steps: number]> = {
    'many members': [{ apiVersion: 'v1', kind: 'K', ...many(50_000) }, 90],
    'many labels': [{ apiVersion: 'v1', kind: 'K', metadata: { labels: many(50_000) } }, 1],
  }
  for (const [name, [value, least]] of Object.entries(wide))
    for (const [what, steps] of [
      ['read', coerceEmbeddedMeta],
      ['checked', validateEmbeddedMeta],
    ] as const)
      it(`is ${what} in steps for ${name}`, () => {
        let count = 0
        for (const _ of steps(value, object, at)) count++
        expect(count).to.be.at.least(least)
      })
})
