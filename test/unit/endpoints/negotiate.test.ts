import { expect } from 'chai'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import type { Output } from '../../../src/endpoints/forms/form-of.ts'
import { acceptedOutput, acceptedStream, bodyMediaType, negotiate, negotiateStream } from '../../../src/endpoints/negotiate.ts'
import { FakeExchange, type FakeRequest, scopeOf } from '../../support/exchange.ts'
import { refusalText, TestRegistry } from '../../support/test-registry.ts'

const t = new TestRegistry()
const JSON_TYPE = 'application/json'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const scope = (accept: string | undefined, request: FakeRequest = {}, name = 'a') =>
  scopeOf(t, new FakeExchange('/x', { headers: accept === undefined ? {} : { accept }, ...request }), 'get', { name })
const TABLE = { kind: 'Table', group: 'meta.k8s.io', version: 'v1' }

describe('the form of a response', () => {
  const table: [accept: string | undefined, request: FakeRequest, expected: Output][] = [
    [undefined, {}, { mediaType: JSON_TYPE, pretty: false }],
    [JSON_TYPE, {}, { mediaType: JSON_TYPE, pretty: false }],
    ['*/*', {}, { mediaType: JSON_TYPE, pretty: false }],
    [JSON_TYPE, { search: 'pretty=true' }, { mediaType: JSON_TYPE, pretty: true }],
    [JSON_TYPE, { search: 'pretty=0', userAgent: 'curl/8' }, { mediaType: JSON_TYPE, pretty: false }],
    [JSON_TYPE, { search: 'limit=1' }, { mediaType: JSON_TYPE, pretty: false }],
    ['*/*', { userAgent: 'curl/8' }, { mediaType: JSON_TYPE, pretty: true }],
    [JSON_TYPE, { userAgent: 'Mozilla/5.0 x' }, { mediaType: JSON_TYPE, pretty: true }],
    ['application/yaml', {}, { mediaType: 'application/yaml', pretty: false }],
    [`${PROTOBUF},application/json`, {}, { mediaType: PROTOBUF, pretty: false }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', {}, { mediaType: JSON_TYPE, pretty: false, as: TABLE }],
    ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', {}, { mediaType: JSON_TYPE, pretty: false }],
    [`${PROTOBUF};as=Table;v=v1;g=meta.k8s.io,application/json`, {}, { mediaType: JSON_TYPE, pretty: false }],
  ]
  for (const [accept, request, expected] of table)
    it(`${accept} ${JSON.stringify(request)}`, () => {
      expect(acceptedOutput(scope(accept, request))).to.deep.equal(expected)
      expect(negotiate(scope(accept, request)).contentType).to.equal(expected.mediaType)
    })

  describe('with CBOR and the domain example.io', () => {
    const media = mediaOffer({ cbor: true, domain: 'example.io' })
    const at = (accept: string, name = 'a') => scopeOf(t, new FakeExchange('/x', { headers: { accept } }), 'get', { name, media })
    const cases: [accept: string, expected: object][] = [
      ['application/cbor', { mediaType: 'application/cbor', pretty: false }],
      ['application/cbor;q=0.4,application/json;q=0.5', { mediaType: JSON_TYPE, pretty: false }],
      ['application/x;q=0.9,application/cbor;q=0.4,application/json;q=0.3', { mediaType: 'application/cbor', pretty: false }],
      ['*/*', { mediaType: JSON_TYPE, pretty: false }],
      ['application/vnd.svc.protobuf', { mediaType: 'application/vnd.svc.protobuf', pretty: false }],
      [
        'application/cbor;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io',
        { mediaType: JSON_TYPE, pretty: false, as: TABLE },
      ],
      [
        'application/json;as=Table;v=v1beta1;g=meta.example.io',
        { mediaType: JSON_TYPE, pretty: false, as: { kind: 'Table', group: 'meta.example.io', version: 'v1beta1' } },
      ],
    ]
    for (const [accept, expected] of cases) it(accept, () => expect(acceptedOutput(at(accept))).to.deep.equal(expected))

    // Messages of apiserver 0.33.9 with the gate enabled.
    it('is listed in refusals, with the sequence type for watches', async () => {
      const refused = (run: () => unknown) => refusalText(Promise.resolve().then(run))
      expect(await refused(() => negotiate(at('application/xml', '')))).to.equal(
        `406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${PROTOBUF}, application/cbor, application/json;stream=watch, ${PROTOBUF};stream=watch, application/cbor-seq`,
      )
      expect(await refused(() => negotiate(at('application/cbor-seq', '')))).to.equal(
        `406 NotAcceptable: only the following media types are accepted: application/json, application/yaml, ${PROTOBUF}, application/cbor`,
      )
      expect(await refused(() => negotiateStream(at('application/yaml')))).to.equal(
        `406 NotAcceptable: only the following media types are accepted: application/json;stream=watch, ${PROTOBUF};stream=watch, application/cbor-seq`,
      )
    })
  })

  it('is refused with two messages', async () => {
    const refused = (accept: string, name?: string) => refusalText(Promise.resolve().then(() => negotiate(scope(accept, {}, name))))
    const offered = `application/json, application/yaml, ${PROTOBUF}`
    expect(await refused('text/html')).to.equal(`406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: ${offered}`)
    expect(await refused('text/html', '')).to.equal(
      `406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: ${offered}, application/json;stream=watch, ${PROTOBUF};stream=watch`,
    )
    expect(await refused('application/json;as=Odd;v=v1;g=meta.k8s.io')).to.equal(
      `406 NotAcceptable: only the following media types are accepted: ${offered}`,
    )
  })

  it('must be a streaming type for a watch', async () => {
    expect(acceptedStream(scope(PROTOBUF))).to.deep.equal({ mediaType: PROTOBUF, pretty: false })
    expect(acceptedStream(scope('application/json;as=Table;v=v1;g=meta.k8s.io'))).to.deep.equal({
      mediaType: JSON_TYPE,
      pretty: false,
      as: TABLE,
    })
    expect(await refusalText(Promise.resolve().then(() => negotiateStream(scope('application/yaml'))))).to.equal(
      `406 NotAcceptable: only the following media types are accepted: application/json;stream=watch, ${PROTOBUF};stream=watch`,
    )
  })

  it('is one of the offered types for a body', async () => {
    expect([undefined, '', 'application/json;charset=x', 'application/yaml'].map(type => bodyMediaType(type, mediaOffer()))).to.deep.equal([
      JSON_TYPE,
      JSON_TYPE,
      JSON_TYPE,
      'application/yaml',
    ])
    expect(await refusalText(Promise.resolve().then(() => bodyMediaType('application/cbor', mediaOffer())))).to.match(
      /^415 UnsupportedMediaType: /,
    )
  })
})
