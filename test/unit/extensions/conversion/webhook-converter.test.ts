import { expect } from 'chai'
import { WebhookClients } from '../../../../src/admission/webhooks/client.ts'
import { ConversionMetrics } from '../../../../src/extensions/conversion/metrics.ts'
import { webhookConverter } from '../../../../src/extensions/conversion/webhook-converter.ts'
import type { AnyObject } from '../../../support/any-object.ts'
import { failureText, link, linkResource, linkVersion, reviewed, webhookConversion } from '../../../support/conversion.ts'
import { RecordedSpans } from '../../../support/recorded-spans.ts'
import { WebhookServer } from '../../../support/webhooks/webhook-server.ts'

const versions = linkResource(reviewed)
const v1 = linkVersion(versions, 'v1')
const v2 = linkVersion(versions, 'v2')
const ABOUT = 'conversion webhook for example.com/v1, Kind=Link'

describe('webhookConverter', () => {
  let webhook: WebhookServer
  let clients: WebhookClients
  before(async () => {
    webhook = await WebhookServer.start()
    clients = new WebhookClients(async () => {
      throw new Error('there are no services')
    })
  })
  after(() => {
    clients.close()
    webhook.close()
  })

  let metrics: ConversionMetrics
  beforeEach(() => {
    metrics = new ConversionMetrics()
    webhook.requests.length = 0
  })

  /** Converter of links with a webhook that returns this response. */
  const spans = new RecordedSpans()
  function converter(act: (review: Record<string, unknown>) => Record<string, unknown>, reviewVersions?: string[]) {
    webhook.acts.set('/links', review => act(review))
    const kind = { name: 'links.example.com', group: 'example.com', versions: ['v1', 'v2'] }
    return webhookConverter(
      { ...kind, webhook: webhookConversion(webhook.clientConfig('/links'), reviewVersions).webhook },
      {
        post: (config, body, timeoutMs, traceparent) =>
          clients.post(config, body, { timeoutMs, signal: new AbortController().signal, traceparent }),
        metrics,
        spans,
      },
    )
  }
  const counts = (): string[] =>
    metrics.families.flatMap(family =>
      [...family.samples()]
        .filter(({ metricName }) => /(_total|_count)$/.test(metricName))
        .map(({ metricName, labels, value }) => `${metricName} ${Object.values(labels).join(' ')} ${value}`),
    )

  it('converts objects of other versions in one call, and keeps the order', async () => {
    const objects = [link('v1', 'a', { hostPort: 'h:1' }), link('v2', 'b', { host: 'x' }), link('v1', 'c', { hostPort: 'i' })]
    const before = structuredClone(objects)
    const converted = await converter(reviewed).convert(objects, v2)
    expect(converted).to.deep.equal([link('v2', 'a', { host: 'h', port: '1' }), before[1], link('v2', 'c', { host: 'i' })])
    expect(converted[1]).to.equal(objects[1])
    expect(objects).to.deep.equal(before)
    const [request] = webhook.requests
    expect(webhook.requests).to.have.length(1)
    expect(request?.path).to.equal('/links?timeout=30s')
    const asked = request?.review.request as { objects: AnyObject[]; desiredAPIVersion: string }
    expect([asked.desiredAPIVersion, asked.objects.map(({ metadata }) => metadata.name)]).to.deep.equal(['example.com/v2', ['a', 'c']])
    expect(counts()).to.deep.equal([
      'apiserver_conversion_webhook_request_total success  1',
      'apiserver_conversion_webhook_duration_seconds_count success  1',
      'apiserver_crd_conversion_webhook_duration_seconds_count links.example.com v1 v2 true 1',
    ])
  })

  it('makes no call if nothing must be converted', async () => {
    const objects = [link('v2', 'b', { host: 'x' })]
    expect(await converter(reviewed).convert(objects, v2)).to.equal(objects)
    expect(webhook.requests).to.deep.equal([])
  })

  it('prunes unknown fields, and applies no defaults', async () => {
    const [converted] = await converter(review =>
      reviewed(review, object => ({ ...object, junk: 1, spec: { ...object.spec, junk: 2 } })),
    ).convert([link('v2', 'a', { host: 'h', extra: 'e' })], v1)
    expect(converted).to.deep.equal(link('v1', 'a', { hostPort: 'h' }))
  })

  it('uses v1beta1 if the webhook prefers it', async () => {
    const beta = converter(
      review => {
        const { response } = reviewed(review) as { response: object }
        return { response: { ...response, uid: 'of nobody' } }
      },
      ['v9', 'v1beta1', 'v1'],
    )
    expect(await beta.convert([link('v1', 'a', { hostPort: 'h:1' })], v2)).to.deep.equal([link('v2', 'a', { host: 'h', port: '1' })])
    expect(webhook.requests[0]?.review.apiVersion).to.equal('apiextensions.k8s.io/v1beta1')
    expect(await failureText(converter(reviewed, ['v9']).convert([link('v1', 'a', {})], v2))).to.equal(
      'no supported conversion review versions',
    )
  })

  const without = (name: string) => (object: AnyObject) => ({ ...object, [name]: undefined })
  // Messages of kube-apiserver 1.33.
  const table: [name: string, act: (review: Record<string, unknown>) => Record<string, unknown>, text: string, failure: string][] = [
    [
      'fails',
      review => ({
        ...reviewed(review),
        response: { uid: (review.request as { uid: string }).uid, result: { status: 'Failed', message: 'no' } },
      }),
      `${ABOUT} failed: no`,
      'malformed_response',
    ],
    [
      'returns too few objects',
      review => ({ ...reviewed(review), response: { ...(reviewed(review).response as object), convertedObjects: [] } }),
      `${ABOUT} returned 0 objects, expected 1`,
      'partial_response',
    ],
    [
      'returns another kind',
      () => ({ kind: 'Foo', apiVersion: 'x/v1' }),
      `${ABOUT} failed: no kind "Foo" is registered for version "x/v1" in scheme "pkg/runtime/scheme.go:110"`,
      'call',
    ],
    [
      'changes the group',
      review => reviewed(review, object => ({ ...object, apiVersion: 'other.io/v1' })),
      `${ABOUT} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received other.io/v1)`,
      'invalid_converted_object',
    ],
    [
      'changes the kind',
      review => reviewed(review, object => ({ ...object, kind: 'Other' })),
      `${ABOUT} returned invalid object at index 0: invalid kind (expected Link, received Other)`,
      'invalid_converted_object',
    ],
    [
      'forgets the kind',
      review => reviewed(review, without('kind')),
      `Object 'Kind' is missing in '{"apiVersion":"example.com/v2","metadata":{"name":"a","namespace":"ns","uid":"uid-a"},"spec":{"host":"h","port":"1"}}'`,
      'invalid_converted_object',
    ],
    ['gives nothing back', review => reviewed(review, () => null), 'unexpected end of JSON input', 'invalid_converted_object'],
    [
      'gives a text back',
      review => reviewed(review, () => 'text'),
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
      'invalid_converted_object',
    ],
    [
      'changes the name',
      review => reviewed(review, object => ({ ...object, metadata: { ...object.metadata, name: 'b' } })),
      `${ABOUT} returned invalid object: must have the same name: a != b`,
      'invalid_converted_object',
    ],
    [
      'breaks the labels',
      review => reviewed(review, object => ({ ...object, metadata: { ...object.metadata, labels: 'x' } })),
      `${ABOUT} returned invalid metadata: invalid metadata.labels of type string in converted object`,
      'invalid_converted_object',
    ],
  ]
  for (const [name, act, text, failure] of table) {
    it(`reports a webhook that ${name} with kube-apiserver's message`, async () => {
      expect(await failureText(converter(act).convert([link('v1', 'a', { hostPort: 'h:1' })], v2))).to.equal(text)
      expect(counts()[0]).to.equal(`apiserver_conversion_webhook_request_total failure conversion_webhook_${failure}_failure 1`)
      expect(counts().at(-1)).to.equal('apiserver_crd_conversion_webhook_duration_seconds_count links.example.com v1 v2 false 1')
    })
  }

  it('names the invalid object among several', async () => {
    const act = (review: Record<string, unknown>) =>
      reviewed(review, object => (object.metadata.name === 'b' ? { ...object, kind: 'Other' } : object))
    expect(await failureText(converter(act).convert([link('v1', 'a', {}), link('v1', 'b', {})], v2))).to.equal(
      `${ABOUT} returned invalid converted object at index 1: invalid kind (expected Link, received Other)`,
    )
  })

  it('reports an unreachable webhook', async () => {
    const gone = await WebhookServer.start()
    const { port } = gone
    gone.close()
    const lost = webhookConverter(
      {
        name: 'links.example.com',
        group: 'example.com',
        versions: ['v1', 'v2'],
        webhook: webhookConversion({ url: `https://127.0.0.1:${port}/x` }).webhook,
      },
      { post: (config, body, timeoutMs) => clients.post(config, body, { timeoutMs, signal: new AbortController().signal }), metrics },
    )
    expect(await failureText(lost.convert([link('v1', 'a', {})], v2))).to.equal(
      `${ABOUT} failed: Post "https://127.0.0.1:${port}/x?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
    expect(counts()[0]).to.equal('apiserver_conversion_webhook_request_total failure conversion_webhook_call_failure 1')
  })

  it('records each call in spans', async () => {
    spans.ended.splice(0)
    const links = converter(review => ({
      ...review,
      response: { uid: (review.request as { uid: string }).uid, result: { status: 'Failure' } },
    }))
    await failureText(links.convert([link('v1', 'a', {}), link('v1', 'b', {})], v2))
    expect(spans.ended.map(({ name, attributes: { UID: _uid, ...others } }) => [name, others])).to.deep.equal([
      [
        'Call conversion webhook',
        { 'custom-resource-definition': 'links.example.com', 'desired-api-version': 'example.com/v2', 'object-count': 2 },
      ],
    ])
    expect(webhook.requests.at(-1)?.headers.traceparent).to.equal(spans.traceparent)
  })

  it('rejects an object in an unknown version', async () => {
    const object = { ...link('v1', 'a', {}), apiVersion: 'example.com/v0' }
    expect(await failureText(converter(reviewed).convert([object], v2))).to.equal(
      'request to convert CR from an invalid group/version: example.com/v0',
    )
  })
})
