import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { revision } from '../../../src/storage/revision.ts'
import { StorageError } from '../../../src/storage/storage.ts'
import { customResource } from '../../support/custom-resource.ts'

/** A custom resource as kube-apiserver 1.37.2 has stored it with the gate CBORServingAndStorage on. */
const STORED = Buffer.from(
  '2dn3pERraW5kRldpZGdldERzcGVjqEFm+T4AQWkBQWyDAUF49UFu9kFzRHRleHRCw6lCw7xDYmlnGwAAAALf3Bw1Q25lZyJIbWV0YWRhdGGnQ3VpZFgkZjgwOWIyY2QtNmM4Ni00OWVkLWIwN2UtM2I3OGMyZmVkOGNlRG5hbWVBdkZsYWJlbHOiQWFBMkFiQTFJbmFtZXNwYWNlR2RlZmF1bHRKZ2VuZXJhdGlvbgFNbWFuYWdlZEZpZWxkc4GmRHRpbWVUMjAyNi0xMS0yOVQxMTo1MjoyN1pHbWFuYWdlckFtSGZpZWxkc1YxokZmOnNwZWOpQS6gQ2Y6ZqBDZjppoENmOmygQ2Y6bqBDZjpzoERmOsOpoEVmOmJpZ6BFZjpuZWegSmY6bWV0YWRhdGGhSGY6bGFiZWxzo0EuoENmOmGgQ2Y6YqBJb3BlcmF0aW9uRlVwZGF0ZUphcGlWZXJzaW9uTWV4YW1wbGUuaW8vdjFKZmllbGRzVHlwZUhGaWVsZHNWMVFjcmVhdGlvblRpbWVzdGFtcFQyMDI2LTExLTI5VDExOjUyOjI3WkphcGlWZXJzaW9uTWV4YW1wbGUuaW8vdjE=',
  'base64',
)
const AT = revision(7)

describe('custom resources stored as CBOR', () => {
  const definition = customResource()
  const json = codecOf(definition, 'one')
  const cbor = codecOf(definition, 'one', 'cbor')

  it('are read whatever form new writes have', () => {
    for (const [codec, verbatim] of [
      [json, false],
      [cbor, true],
    ] as const) {
      const object = codec.decode(STORED, AT)
      expect(object).to.deep.include({ kind: 'Widget', apiVersion: 'example.io/v1' })
      expect(object.metadata).to.include({ name: 'v', namespace: 'default', resourceVersion: '7', generation: 1 })
      expect(object.spec).to.deep.equal({ i: 1, f: 1.5, s: 'text', n: null, neg: -3, l: [1, 'x', true], big: 12345678901, é: 'ü' })
      const encoded = codec.json(STORED, AT)
      expect(JSON.parse(encoded.bytes.toString())).to.deep.equal(JSON.parse(JSON.stringify(object)))
      // An unchanged object that is stored in the other form is written again.
      expect(encoded.verbatim).to.equal(verbatim)
    }
  })

  it('are written byte for byte as kube-apiserver does', () => {
    expect(cbor.encode(cbor.decode(STORED, AT)).toString('hex')).to.equal(STORED.toString('hex'))
  })

  it('are read as JSON, too, and may have many and nested values', () => {
    const object = json.decode(STORED, AT)
    let nested: Json = 'leaf'
    for (let i = 0; i < 500; i++) nested = { n: nested }
    const large = { ...object, spec: { list: Array.from({ length: 5000 }, (_, i) => i), nested } }
    expect(cbor.decode(json.encode(large), AT)).to.deep.equal(large)
    expect(cbor.decode(cbor.encode(large), AT)).to.deep.equal(large)
  })

  it('are corrupt if the bytes are', () => {
    expect(() => cbor.json(STORED.subarray(0, -1), AT)).to.throw(StorageError, 'a stored Widget cannot be read: unexpected EOF')
  })
})
