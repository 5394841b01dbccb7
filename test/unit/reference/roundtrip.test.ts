import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { types, typesOf } from '../../../src/catalog/types.ts'
import { encodeJson, escapeHtml, parseJson } from '../../../src/codec/json.ts'
import { encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { decode } from '../../../src/schema/decode.ts'
import { rawJson } from '../../../src/schema/json-text.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { decodeProtobuf } from '../../support/at-once.ts'
import { describeReference, readReference, referenceJson } from '../../support/reference.ts'

interface Index {
  readonly objects: { readonly file: string; readonly apiVersion: string; readonly kind: string; readonly message: string }[]
}
interface Facts {
  readonly messages: Readonly<Record<string, { readonly openapi?: string } | undefined>>
}

/** Definition name of a message: its path with dots, read from the back. */
const definitionOf = (message: string): string =>
  message.replace(/^k8s\.io\./, 'io.k8s.').replace('apiextensions_apiserver', 'apiextensions-apiserver')

describeReference('serialized objects of the reference', () => {
  const { objects } = referenceJson('roundtrip/INDEX.json') as Index
  const { messages } = referenceJson('api-facts-1.33.json') as Facts
  for (const { file, message } of objects) {
    const schema = types.byDefinition(messages[message]?.openapi ?? definitionOf(message))
    if (!schema) {
      it.skip(`${file}: there is no such type yet`)
      continue
    }
    it(file, () => compareForms(schema, `roundtrip/${file}`))
  }
})

/** The preview of 1.38 keeps every field of these kinds. */
for (const release of ['1.37', '1.38'] as const)
  describeReference(`serialized objects of kinds that 1.37 added, in ${release}`, () => {
    const { objects } = referenceJson('roundtrip-1.37/INDEX.json') as Index
    for (const { file, message } of objects)
      it(file, () => {
        const schema = typesOf(release).byDefinition(definitionOf(message))
        if (!schema) expect.fail(`no type ${message}`)
        compareForms(schema, `roundtrip-1.37/${file}`)
      })
  })

/** Decodes and encodes the object in both forms. */
function compareForms(schema: StructSchema, path: string): void {
  const json = parseJson(readReference(`${path}.json`)).value as JsonObject
  const bytes = readReference(`${path}.pb`)
  const type = { kind: String(json.kind ?? ''), apiVersion: String(json.apiVersion ?? '') }
  const fromJson = decode(schema, json)
  const fromBytes = decode(schema, decodeProtobuf(schema, bytes))
  expect(fromBytes).to.deep.equal(fromJson)
  expect(encodeProtobuf(schema, type, fromJson).equals(bytes), 'protobuf, byte for byte').to.equal(true)
  // The file is indented, and escapes nothing: what is compared is the order of members too.
  expect(encodeJson(schema, fromBytes).toString()).to.equal(escapeHtml(rawJson(json)))
}
