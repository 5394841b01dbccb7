import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { encodeJson, parseJson } from '../../../src/codec/json.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { decode } from '../../../src/schema/decode.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { declared, fieldsOf, given, isType, type Messages, schemaOf, stated } from '../../support/declared-fields.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'

/** How deep a schema, which has schemas in a dozen of its fields, is held to be already: two more are filled. */
const SCHEMA_DEPTH = 4

describeReference('declared types beside the reference', () => {
  const { messages } = referenceJson('api-facts-1.33.json') as { messages: Messages }

  for (const [name, message] of Object.entries(messages)) {
    if (!isType(name, message)) continue
    it(`${name} has the same fields`, () => {
      const schema = schemaOf(name, message) as StructSchema
      expect(schema, 'the type').to.not.equal(undefined)
      expect([...schema.fields.values()].map(declared)).to.deep.equal(fieldsOf(messages, message).map(field => stated(messages, field)))
      expect(schema.inlines.map(({ number }) => number)).to.deep.equal(message.fields.filter(field => field.inline).map(field => field.num))
      expect(given({ typeMeta: schema.typeMeta, structType: schema.structType })).to.deep.equal(
        given({ typeMeta: message.typeMeta, structType: message.structType }),
      )
    })

    it(`${name} with every field set is the same after protobuf and JSON`, () => {
      const schema = schemaOf(name, message) as StructSchema
      const full = decode(schema, fillStruct(schema, '', name.includes('apiextensions') ? SCHEMA_DEPTH : 0))
      const bytes = encodeMessage(schema, full)
      expect(decode(schema, decodeMessage(schema, bytes))).to.deep.equal(full)
      expect(encodeMessage(schema, decode(schema, decodeMessage(schema, bytes)))).to.deep.equal(bytes)
      expect(decode(schema, parseJson(encodeJson(schema, full)).value as JsonObject)).to.deep.equal(full)
    })
  }
})
