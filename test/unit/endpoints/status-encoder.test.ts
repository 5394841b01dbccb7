import { expect } from 'chai'
import { mediaOffer, PROTOBUF_TYPE } from '../../../src/codec/accept-header.ts'
import { unwrap } from '../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { metaType, statusText } from '../../../src/endpoints/forms/meta-v1.ts'
import { statusEncoder } from '../../../src/endpoints/status-encoder.ts'
import { failure, type Status } from '../../../src/meta/status.ts'
import { bytesOf } from '../../support/exchange.ts'

const { status } = failure(409, 'Conflict', 'a < b', { kind: 'pods', name: 'a', causes: [{ field: 'f', message: 'm', reason: 'r' }] })
const JSON_TEXT =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a \\u003c b","reason":"Conflict",' +
  '"details":{"name":"a","kind":"pods","causes":[{"reason":"r","message":"m","field":"f"}]},"code":409}\n'

const encoder = statusEncoder(mediaOffer())

async function encodeStatus(of: Status, accept: string | undefined): Promise<{ contentType: string; bytes: Buffer }> {
  const { contentType, bytes } = await encoder(of, accept)
  return { contentType, bytes: bytesOf(bytes) }
}

describe('statusEncoder', () => {
  for (const accept of [undefined, '', '*/*', 'application/json'])
    it(`encodes JSON for ${accept}`, async () => {
      const { contentType, bytes } = await encodeStatus(status, accept)
      expect(contentType).to.equal('application/json')
      expect(bytes.toString()).to.equal(JSON_TEXT)
    })

  for (const accept of ['text/html', 'application/json;as=Table;g=meta.k8s.io;v=v1'])
    it(`encodes indented JSON without a trailing newline for ${accept}`, async () => {
      const { contentType, bytes } = await encodeStatus(status, accept)
      expect(contentType).to.equal('application/json')
      expect(bytes.toString()).to.equal(JSON.stringify(JSON.parse(JSON_TEXT), null, 2).replace('<', '\\u003c'))
    })

  it('reports whether the client accepts an available type', async () => {
    const isUnaccepted = async (accept: string | undefined) => (await encoder(status, accept)).isUnaccepted
    expect([await isUnaccepted(undefined), await isUnaccepted('application/yaml'), await isUnaccepted('text/html')]).to.deep.equal([
      false,
      false,
      true,
    ])
  })

  it('encodes the same JSON if it is long', async () => {
    // Markup, surrogate pairs across the edges of chunks, and lone surrogates.
    for (const unit of ['<a>"\n\u0001\u2028', '🙂', 'x\ud800y']) {
      const long = unit.repeat(20_001)
      const { status } = failure(422, 'Invalid', `a${long}`, {
        name: 'a',
        kind: 'pods',
        causes: [{ message: long, reason: 'r', field: 'f' }, { message: 'm' }],
      })
      const { bytes } = await encodeStatus(status, undefined)
      expect(bytes.toString() === `${statusText(status)}\n`).to.equal(true)
    }
  })

  it('encodes YAML if it is preferred', async () => {
    const { contentType, bytes } = await encodeStatus(status, 'application/yaml')
    expect(contentType).to.equal('application/yaml')
    expect(bytes.toString()).to.match(/^apiVersion: v1\ncode: 409\n/)
  })

  it('encodes protobuf if it is preferred', async () => {
    const { contentType, bytes } = await encodeStatus(status, `${PROTOBUF_TYPE}, application/json`)
    expect(contentType).to.equal(PROTOBUF_TYPE)
    const { kind, apiVersion, message } = unwrap(bytes)
    expect([kind, apiVersion]).to.deep.equal(['Status', 'v1'])
    expect(decodeMessage(metaType('meta.Status'), message)).to.deep.include({
      status: 'Failure',
      message: 'a < b',
      reason: 'Conflict',
      code: 409,
    })
  })
})
