import { expect } from 'chai'
import { webhookBackoff } from '../../../../../../src/clients/backoff.ts'
import { RemoteCallError } from '../../../../../../src/clients/remote-client.ts'
import { failure } from '../../../../../../src/meta/status.ts'
import type { AdmissionRequest } from '../../../../../../src/registry/types.ts'
import { podResource } from '../../../../../../src/resources/core/pod/definition.ts'
import { imagePolicyWebhook } from '../../../../../../src/resources/core/pod/image-policy/admission-plugin.ts'
import { admissionRequest, refusal } from '../../../../../support/admission-request.ts'
import { annotationsOf } from '../../../../../support/audit-record.ts'
import { featuresOf } from '../../../../../support/hook-context.ts'

interface Review {
  readonly spec: { readonly containers?: readonly { readonly image?: string }[]; readonly annotations?: Readonly<Record<string, string>> }
}

/**
 * A plugin whose webhook responds with `status` as in upstream's tests: an image `bad` is refused, and a pod whose
 * first image is `good` is allowed.
 */
function reviewing({ defaultAllow = false, allow = true, ttlMs = 0, outAnnotations = {}, answer }: Partial<Given> = {}) {
  const state = { status: 200, now: 0 }
  const asked: string[] = []
  const plugin = imagePolicyWebhook({
    features: featuresOf(),
    clock: { now: () => state.now },
    policy: {
      defaultAllow,
      allowTtlMs: ttlMs,
      denyTtlMs: ttlMs / 2,
      backoff: { ...webhookBackoff(0), steps: 1 },
      client: {
        async post(body) {
          asked.push(body.toString())
          if (state.status !== 200)
            throw new RemoteCallError(`status ${state.status}`, { statusCode: state.status, status: failure(state.status, '', 'no') })
          const { containers = [] }: Review['spec'] = JSON.parse(body.toString()).spec
          const images = containers.map(({ image }) => image)
          const allowed = (allow || images[0] === 'good') && !images.includes('bad')
          const status = { allowed, reason: allowed ? '' : 'not allowed', auditAnnotations: outAnnotations }
          return {
            status: 200,
            headers: {},
            body: Buffer.from(answer ?? JSON.stringify({ kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status })),
          }
        },
        close: () => {},
      },
    },
  })
  return { plugin, asked, state }
}

interface Given {
  readonly defaultAllow: boolean
  readonly allow: boolean
  readonly ttlMs: number
  readonly outAnnotations: Readonly<Record<string, string>>
  readonly answer: string
}

const named = (images: readonly string[]) => images.map(image => ({ image }))
const pod = (
  images: readonly string[],
  { init = [], ephemeral = [], annotations }: { init?: string[]; ephemeral?: string[]; annotations?: object } = {},
) => ({
  metadata: { name: 'p', ...(annotations && { annotations }) },
  spec: { containers: named(images), initContainers: named(init), ephemeralContainers: named(ephemeral) },
})

function request(object: object, parts: object = {}) {
  const { record, annotations } = annotationsOf()
  const ctx = { signal: new AbortController().signal, audit: record }
  return { asked: admissionRequest(podResource, object, { namespace: 'ns', ctx, ...parts }) satisfies AdmissionRequest, annotations }
}

const DENIED = 'pods "p" is forbidden: image policy webhook backend denied one or more images: not allowed'

describe('image policy webhook', () => {
  const combinations: [string, object, allowed: boolean, parts?: object][] = [
    ['one good container', pod(['good']), true],
    ['one bad container', pod(['bad']), false],
    ['a bad container and a good one', pod(['bad', 'good']), false],
    ['good containers', pod(['good', 'good']), true],
    ['bad containers', pod(['bad', 'bad']), false],
    ['a good container and a bad one that initializes', pod(['good'], { init: ['bad'] }), false],
    ['a bad container and a good one that initializes', pod(['bad'], { init: ['good'] }), false],
    ['a good container and a good one that initializes', pod(['good'], { init: ['good'] }), true],
    ['an ephemeral container that is bad, in an update of the rest', pod(['good'], { ephemeral: ['bad'] }), true],
    [
      'an ephemeral container that is bad',
      pod(['good'], { ephemeral: ['bad'] }),
      false,
      { subresource: 'ephemeralcontainers', operation: 'UPDATE' },
    ],
    [
      'an ephemeral container that is good',
      pod(['bad'], { ephemeral: ['good'] }),
      true,
      { subresource: 'ephemeralcontainers', operation: 'UPDATE' },
    ],
  ]
  for (const [what, object, allowed, parts] of combinations)
    it(`${allowed ? 'admits' : 'refuses'} ${what}`, async () => {
      const { plugin } = reviewing()
      const { asked } = request(object, parts)
      expect(plugin.handles(asked)).to.equal(true)
      expect(await refusal(plugin.validate?.(asked))).to.equal(allowed ? undefined : DENIED)
    })

  for (const [what, parts] of [
    ['deletions', { operation: 'DELETE' }],
    ['other subresources', { subresource: 'status', operation: 'UPDATE' }],
    ['a part of another write', { nested: true }],
  ] as const)
    it(`ignores ${what}`, () => expect(reviewing().plugin.handles(request(pod(['bad']), parts).asked)).to.equal(false))

  it('sends a review encoded as in Go', async () => {
    const { plugin, asked } = reviewing()
    const annotations = { 'my.image-policy.k8s.io/b': '<', test: 'x', 'a.image-policy.k8s.io/a': '2', '': '' }
    await plugin.validate?.(request(pod(['a', ''], { annotations })).asked)
    expect(asked).to.deep.equal([
      '{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","metadata":{"creationTimestamp":null},"spec":{"containers":[{"image":"a"},{}],' +
        '"annotations":{"a.image-policy.k8s.io/a":"2","my.image-policy.k8s.io/b":"\\u003c"},"namespace":"ns"},"status":{"allowed":false}}',
    ])
  })

  it('caches responses for their time, but no failures', async () => {
    const { plugin, asked, state } = reviewing({ ttlMs: 1000 })
    const fate = async (status: number, image: string): Promise<boolean> => {
      state.status = status
      return (await refusal(plugin.validate?.(request(pod([image])).asked))) === undefined
    }
    for (const status of [500, 404, 403, 401]) expect(await fate(status, 'test'), String(status)).to.equal(false)
    expect([await fate(200, 'test'), await fate(500, 'test'), asked.length]).to.deep.equal([true, true, 5])
    expect([await fate(500, 'other'), await fate(200, 'other'), await fate(500, 'other')]).to.deep.equal([false, true, true])
    expect([await fate(200, 'bad'), await fate(500, 'bad'), asked.length]).to.deep.equal([false, false, 8])
    state.now = 500
    expect([await fate(500, 'test'), asked.length]).to.deep.equal([true, 8])
    await fate(200, 'bad')
    expect(asked.length, 'a refusal has a time of its own').to.equal(9)
    state.now = 1000
    expect([await fate(500, 'test'), asked.length]).to.deep.equal([false, 10])
  })

  for (const defaultAllow of [true, false])
    it(`${defaultAllow ? 'admits' : 'rejects'} all pods if the webhook fails${defaultAllow ? ', and annotates them' : ''}`, async () => {
      const { plugin, state } = reviewing({ defaultAllow })
      state.status = 500
      const { asked, annotations } = request(pod(['bad']))
      expect(await refusal(plugin.validate?.(asked))).to.equal(defaultAllow ? undefined : 'pods "p" is forbidden: status 500')
      expect(asked.object?.metadata.annotations).to.deep.equal(
        defaultAllow ? { 'alpha.image-policy.k8s.io/failed-open': 'true' } : undefined,
      )
      expect(annotations).to.deep.equal(defaultAllow ? { 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' } : {})
    })

  const told: [string, Readonly<Record<string, string>>, image: string, Readonly<Record<string, string>>][] = [
    ['an admitted pod', { 'foo-test': 'true', 'bar-test': 'false' }, 'good', { 'foo-test': 'true', 'bar-test': 'false' }],
    ['a rejected pod', { 'foo-test': 'false' }, 'bad', { 'foo-test': 'false' }],
    ['with names that can be', { 'a/b': 'x', '': 'y' }, 'good', {}],
  ]
  for (const [what, outAnnotations, image, wanted] of told)
    it(`copies the annotations of the response to the audit event, ${what}`, async () => {
      const { plugin } = reviewing({ outAnnotations })
      const { asked, annotations } = request(pod([image]))
      await refusal(plugin.validate?.(asked))
      expect(annotations).to.deep.equal(
        Object.fromEntries(Object.entries(wanted).map(([key, value]) => [`imagepolicywebhook.image-policy.k8s.io/${key}`, value])),
      )
    })

  const answers: [answer: string, refused: string | undefined][] = [
    ['{}', 'one or more images rejected by webhook backend'],
    ['{"status":{"allowed":true}}', undefined],
    ['', '0-length response with status code: 200 and content type: application/json'],
    ['{"kind":"Pod","apiVersion":"v1"}', 'no kind "Pod" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'],
    ['{"kind":"Status","apiVersion":"v1","message":"gone"}', 'gone'],
    ['{', 'unexpected end of JSON input'],
  ]
  for (const [answer, refused] of answers)
    it(`decodes the response ${answer || 'that is empty'}`, async () => {
      const { plugin } = reviewing({ answer })
      const text = await refusal(plugin.validate?.(request(pod(['a'])).asked))
      expect(text).to.equal(refused && `pods "p" is forbidden: ${refused}`)
    })
})
