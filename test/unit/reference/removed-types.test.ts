import { expect } from 'chai'
import { typesOf } from '../../../src/catalog/types.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { decode } from '../../../src/schema/decode.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { declared, fieldsOf, isType, type Message, type Messages, schemaOf, stated } from '../../support/declared-fields.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'

type Removed = Readonly<Record<string, Message & { /** Tag of the last release that served the type: `v0.24.17`. */ readonly tag: string }>>

/** Types without stored objects. */
const NOT_READ = ['k8s.io.api.batch.v1beta1.JobTemplate']

const messagesOf = <M>(file: string): M => (referenceJson(file) as { messages: M }).messages

describeReference('types of removed versions beside the reference', () => {
  const removed = messagesOf<Removed>('api-facts-removed.json')
  const messages: Messages = { ...messagesOf<Messages>('api-facts-1.33.json'), ...removed }

  for (const [name, message] of Object.entries(removed)) {
    if (!isType(name, message) || NOT_READ.includes(name)) continue
    const release: Release = `1.${Number(message.tag.split('.')[1])}`
    it(`${name} has the same fields in ${release}, which protobuf keeps`, () => {
      const schema = schemaOf(name, message, typesOf(release)) as StructSchema
      expect(schema, 'the type').to.not.equal(undefined)
      expect([...schema.fields.values()].map(declared)).to.deep.equal(fieldsOf(messages, message).map(field => stated(messages, field)))
      const full = decode(schema, fillStruct(schema))
      expect(decode(schema, decodeMessage(schema, encodeMessage(schema, full)))).to.deep.equal(full)
    })
  }
})
