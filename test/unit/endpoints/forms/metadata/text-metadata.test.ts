import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { textMetadata } from '../../../../../src/endpoints/forms/metadata/text-metadata.ts'
import type { Scope } from '../../../../../src/endpoints/scope.ts'
import type { StoredObject } from '../../../../../src/storage/storage.ts'

describe('metadata of a stored object', () => {
  const view = textMetadata({ kind: 'PartialObjectMetadata', group: 'meta.k8s.io', version: 'v1' })
  const START = '{"kind":"K","apiVersion":"v1",'
  const metadata = '{"name":"a","resourceVersion":"7"}'
  const shown = async (stored: Partial<StoredObject>): Promise<string> => {
    const text = await view.stored({} as Scope, stored as StoredObject)
    return Buffer.concat(text as readonly Buffer[]).toString()
  }
  const expected = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${metadata}}\n`

  it('is copied from the JSON of a built-in kind, which is not parsed', async () => {
    const bytes = Buffer.from(`${START}"metadata":${metadata},"spec":{"a":1}}`)
    expect(await shown({ json: () => ({ bytes, header: START.length }), object: () => expect.fail('it was parsed') })).to.equal(expected)
  })

  it('is read in turns of a large custom object', async () => {
    const bytes = Buffer.from(`${START}"metadata":${metadata}}`)
    const object = JSON.parse(bytes.toString()) as KubeObject
    const stored = {
      json: () => ({ bytes, header: 1 }),
      objectInTurns: async () => object,
      object: () => expect.fail('it was parsed at once'),
    }
    expect(await shown(stored)).to.equal(expected)
  })
})
