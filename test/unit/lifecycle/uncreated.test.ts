import { expect } from 'chai'
import { typesOf } from '../../../src/catalog/types.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { dialectOf } from '../../../src/endpoints/dialect/dialect-of.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { uncreated } from '../../../src/lifecycle/uncreated.ts'
import { decode } from '../../../src/schema/decode.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const deployment = { metadata: { name: 'web' }, spec: { template: { metadata: { labels: { a: 'b' } } } } }

const cases: readonly (readonly [Release, object])[] = [
  ['1.33', { creationTimestamp: null }],
  ['1.34', {}],
]

describe('metadata of an object that was never created', () => {
  for (const [release, created] of cases) {
    const schema = typesOf(release).type('apps.Deployment')
    const template = (object: { spec?: unknown }) => (object.spec as { template: { metadata: object } }).template.metadata

    it(`has ${Object.keys(created)[0] ?? 'no creationTimestamp'} in ${release}`, () => expect(uncreated(release)).to.deep.equal(created))

    it(`is decoded in templates of ${release}, from JSON and protobuf`, () => {
      const json = decode(schema, deployment)
      expect(template(json)).to.deep.equal({ ...created, labels: { a: 'b' } })
      expect(
        template(decode(schema, { ...deployment, spec: { template: { metadata: { creationTimestamp: null, labels: { a: 'b' } } } } })),
      ).to.deep.equal(template(json))
      expect(template(decode(schema, decodeMessage(schema, encodeMessage(schema, json))))).to.deep.equal(template(json))
    })

    it(`is sent in bookmarks of ${release}`, () => {
      const version = servedBuiltins({}, {}, undefined, release).find(({ hub }) => hub.kind === 'ConfigMap')?.hub
      if (!version) throw new Error('there are no config maps')
      expect(JSON.parse(dialectOf(version.schema).bookmark(version, '7', false, undefined))).to.deep.equal({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7', ...created },
      })
    })
  }

  it('is the same in protobuf in all releases', () => {
    const [before, after] = cases.map(([release]) =>
      encodeMessage(typesOf(release).type('apps.Deployment'), decode(typesOf(release).type('apps.Deployment'), deployment)),
    )
    expect(after).to.deep.equal(before)
  })
})
