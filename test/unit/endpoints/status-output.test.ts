import { expect } from 'chai'
import { mediaOffer, PROTOBUF_TYPE } from '../../../src/codec/negotiate.ts'
import { unwrap } from '../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { metaType } from '../../../src/endpoints/meta-type.ts'
import { statusEncoder } from '../../../src/endpoints/status-output.ts'
import { failure } from '../../../src/meta/status.ts'

const { status } = failure(409, 'Conflict', 'a < b', { kind: 'pods', name: 'a', causes: [{ field: 'f', message: 'm', reason: 'r' }] })
const JSON_TEXT =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a \\u003c b","reason":"Conflict",' +
  '"details":{"name":"a","kind":"pods","causes":[{"reason":"r","message":"m","field":"f"}]},"code":409}\n'

const encodeStatus = statusEncoder(mediaOffer())

describe('a Status as an answer', () => {
  for (const accept of [undefined, '', '*/*', 'application/json', 'text/html', 'application/json;as=Table;g=meta.k8s.io;v=v1'])
    it(`is JSON for ${accept}`, () => {
      const { contentType, bytes } = encodeStatus(status, accept)
      expect(contentType).to.equal('application/json')
      expect(bytes.toString()).to.equal(JSON_TEXT)
    })

  it('is YAML where that is preferred', () => {
    const { contentType, bytes } = encodeStatus(status, 'application/yaml')
    expect(contentType).to.equal('application/yaml')
    expect(bytes.toString()).to.match(/^apiVersion: v1\ncode: 409\n/)
  })

  it('is protobuf where that is preferred', () => {
    const { contentType, bytes } = encodeStatus(status, `${PROTOBUF_TYPE}, application/json`)
    expect(contentType).to.equal(PROTOBUF_TYPE)
    const { kind, apiVersion, message } = unwrap(bytes)
    expect([kind, apiVersion]).to.deep.equal(['Status', 'v1'])
    expect(decodeMessage(metaType('meta.Status'), message)).to.deep.include({ status: 'Failure', message: 'a < b', reason: 'Conflict', code: 409 })
  })
})
