import { expect } from 'chai'
import { compileConditions } from '../../../../../src/auth/authz/configuration/match-conditions.ts'
import { accessReviewSpec, accessReviewSpecText, accessReviewText } from '../../../../../src/auth/authz/webhook/access-review.ts'
import { type WebhookAuthorizerOptions, webhookAuthorizer } from '../../../../../src/auth/authz/webhook/authorizer.ts'
import { AuthorizationWebhookMetrics } from '../../../../../src/auth/authz/webhook/metrics.ts'
import { webhookBackoff } from '../../../../../src/clients/backoff.ts'
import type { CallResponse } from '../../../../../src/clients/destination.ts'
import { RemoteCallError } from '../../../../../src/clients/remote-client.ts'
import { silentLogger } from '../../../../../src/lib/log.ts'
import type { RequestAttributes, User } from '../../../../../src/meta/context.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { nonResourceAttributes, resourceAttributes } from '../../../../../src/meta/request-attributes.ts'
import { serverResponse } from '../../../../../src/meta/server-response.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const never = new AbortController().signal
const jane: User = { name: 'jane', groups: [] }
const path = (verb: string, url: string): RequestAttributes => nonResourceAttributes(verb, url)
const pods = (more: Partial<RequestAttributes> = {}): RequestAttributes => ({
  ...resourceAttributes({ verb: 'get', group: 'group3', version: 'v7beta3', resource: 'pods', namespace: 'kittensandponies' }),
  ...more,
})
const answer = (status: object, more: object = {}): CallResponse => ({
  status: 200,
  headers: {},
  body: Buffer.from(JSON.stringify({ status, ...more })),
})

/** An authorizer with a webhook that returns the responses of a test. */
function world(options: Partial<WebhookAuthorizerOptions> = {}, selectors = true) {
  let now = 0
  let act = (): CallResponse => answer({ allowed: true })
  const asked: Record<string, unknown>[] = []
  const metrics = new AuthorizationWebhookMetrics()
  const client = {
    post: async (body: string | Buffer) => {
      asked.push(JSON.parse(String(body)))
      return act()
    },
    close: () => {},
  }
  const authorizer = webhookAuthorizer(
    {
      name: 'wh.example.com',
      client,
      version: 'v1',
      authorizedTtlMs: 0,
      unauthorizedTtlMs: 0,
      onFailure: 'no opinion',
      backoff: webhookBackoff(1),
      ...options,
    },
    { metrics, logger: silentLogger, now: () => now, selectors, waits: { random: () => 0, wait: async () => {} } },
  )
  const samples = (): string[] =>
    metrics.families
      .flatMap(family => [...family.samples()])
      .filter(({ metricName }) => metricName.endsWith('_total'))
      .map(
        ({ metricName, labels, value }) =>
          `${metricName.replace('apiserver_authorization_', '')} ${Object.values(labels).join(' ')} ${value}`,
      )
  return {
    asked,
    samples,
    pass: (ms: number) => {
      now += ms
    },
    acts: (next: () => CallResponse) => {
      act = next
    },
    ask: (user: User, request: RequestAttributes, signal = never) => authorizer.authorize(user, request, signal),
    authorizer,
  }
}

describe('webhookAuthorizer', () => {
  const sent: [title: string, user: User, request: RequestAttributes, spec: object][] = [
    ['nobody', { name: '', groups: [] }, path('', ''), { nonResourceAttributes: {} }],
    ['a user', jane, path('get', '/foo'), { user: 'jane', nonResourceAttributes: { path: '/foo', verb: 'get' } }],
    [
      'all of a request',
      { name: 'jane', uid: '1', groups: ['group1', 'group2'], extra: { a: ['b'] } },
      pods({ subresource: 'proxy', name: 'my-pod' }),
      {
        user: 'jane',
        uid: '1',
        groups: ['group1', 'group2'],
        extra: { a: ['b'] },
        resourceAttributes: {
          verb: 'get',
          namespace: 'kittensandponies',
          group: 'group3',
          version: 'v7beta3',
          resource: 'pods',
          subresource: 'proxy',
          name: 'my-pod',
        },
      },
    ],
  ]
  for (const [title, user, request, spec] of sent)
    it(`sends ${title}`, async () => {
      const { asked, ask } = world()
      expect(await ask(user, request)).to.deep.equal({ decision: 'allow', reason: '' })
      expect(asked).to.deep.equal([
        {
          kind: 'SubjectAccessReview',
          apiVersion: 'authorization.k8s.io/v1',
          metadata: { creationTimestamp: null },
          spec,
          status: { allowed: false },
        },
      ])
    })

  it('sends groups under another name in v1beta1', async () => {
    const { asked, ask } = world({ version: 'v1beta1' })
    await ask({ name: 'jane', groups: ['g'] }, path('get', '/'))
    expect(asked[0]).to.deep.include({ apiVersion: 'authorization.k8s.io/v1beta1' })
    expect(asked[0]?.spec).to.deep.equal({ user: 'jane', group: ['g'], nonResourceAttributes: { path: '/', verb: 'get' } })
  })

  it('encodes the spec of a review with very many extra values in steps', () => {
    const extra = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, [`v${i}`]]))
    const spec = accessReviewSpec({ name: 'jane', groups: ['g'], extra }, path('get', '/'), true)
    const { result, yields } = countedSteps(accessReviewSpecText(spec, 'v1beta1'))
    expect(yields).to.be.at.least(result.length - 1)
    expect(result.length).to.be.above(10)
    expect(JSON.parse(accessReviewText(result, 'v1beta1'))).to.deep.include({
      kind: 'SubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/', verb: 'get' }, user: 'jane', group: ['g'], extra },
    })
  })

  const selected = pods({
    verb: 'list',
    fieldSelector: [
      { field: 'foo', op: '=', value: 'bar' },
      { field: 'a', op: '!=', value: 'b' },
    ],
    labelSelector: [
      { key: 'baz', operator: '=', values: ['qux'] },
      { key: 'n', operator: 'notin', values: ['x', 'y'] },
      { key: 'e', operator: 'exists', values: [] },
      { key: 'd', operator: '!', values: [] },
      { key: 'more', operator: 'gt', values: ['1'] },
    ],
  })
  it('sends selectors if the gate is on', async () => {
    const { asked, ask } = world()
    await ask(jane, selected)
    expect(asked[0])
      .to.have.nested.property('spec.resourceAttributes')
      .that.deep.includes({
        fieldSelector: {
          requirements: [
            { key: 'foo', operator: 'In', values: ['bar'] },
            { key: 'a', operator: 'NotIn', values: ['b'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'baz', operator: 'In', values: ['qux'] },
            { key: 'n', operator: 'NotIn', values: ['x', 'y'] },
            { key: 'e', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist' },
          ],
        },
      })
    const off = world({}, false)
    await off.ask(jane, selected)
    expect(off.asked[0])
      .to.have.nested.property('spec.resourceAttributes')
      .that.has.all.keys('verb', 'group', 'version', 'resource', 'namespace')
  })

  const decided: [status: object, decision: object][] = [
    [
      { allowed: true, reason: 'r' },
      { decision: 'allow', reason: 'r' },
    ],
    [
      { allowed: false, reason: 'r' },
      { decision: 'no opinion', reason: 'r' },
    ],
    [{ denied: true }, { decision: 'deny', reason: '' }],
    [
      { allowed: true, denied: true },
      { decision: 'deny', reason: '', error: 'webhook subject access review returned both allow and deny response' },
    ],
    [{}, { decision: 'no opinion', reason: '' }],
  ]
  for (const [status, decision] of decided)
    it(`${JSON.stringify(status)} is ${JSON.stringify(decision)}`, async () => {
      const { acts, ask } = world()
      acts(() => answer(status))
      expect(await ask(jane, path('get', '/'))).to.deep.equal(decision)
    })

  const unread: [title: string, CallResponse, message: string][] = [
    [
      'nothing',
      { status: 200, headers: {}, body: Buffer.alloc(0) },
      '0-length response with status code: 200 and content type: application/json',
    ],
    [
      'another version',
      answer({ allowed: true }, { apiVersion: 'authorization.k8s.io/v1beta1', kind: 'SubjectAccessReview' }),
      'converting (v1beta1.SubjectAccessReview) to (v1.SubjectAccessReview): unknown conversion',
    ],
    [
      'another kind',
      answer({ allowed: true }, { apiVersion: 'v1', kind: 'Pod' }),
      'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      'another type',
      answer({ allowed: 'yes' }),
      'json: cannot unmarshal string into Go struct field SubjectAccessReviewStatus.status.allowed of type bool',
    ],
    [
      'another type in the spec',
      answer({ allowed: true }, { apiVersion: '', kind: '', spec: { groups: 'a' } }),
      'json: cannot unmarshal string into Go struct field SubjectAccessReviewSpec.spec.groups of type []string',
    ],
  ]
  for (const [title, given, message] of unread)
    it(`rejects ${title}`, async () => {
      const { acts, ask, samples } = world()
      acts(() => given)
      expect(await ask(jane, path('get', '/'))).to.deep.equal({ decision: 'no opinion', reason: '', error: message })
      expect(samples()).to.include('webhook_evaluations_total wh.example.com error 1')
    })

  it('caches responses, except for long requests', async () => {
    const { asked, ask, acts, pass } = world({ authorizedTtlMs: 1000, unauthorizedTtlMs: 100 })
    const times = async (request: RequestAttributes): Promise<number> => {
      const before = asked.length
      await ask(jane, request)
      return asked.length - before
    }
    expect([await times(path('get', '/a')), await times(path('get', '/a')), await times(path('get', '/b'))]).to.deep.equal([1, 0, 1])
    acts(() => answer({ allowed: false }))
    expect([await times(path('get', '/c')), await times(path('get', '/c'))]).to.deep.equal([1, 0])
    pass(100)
    expect([await times(path('get', '/c')), await times(path('get', '/a'))]).to.deep.equal([1, 0])
    pass(900)
    expect(await times(path('get', '/a'))).to.equal(1)
    const long = path('get', `/${'a'.repeat(10_000)}`)
    expect([await times(long), await times(long)]).to.deep.equal([1, 1])
  })

  it('does not cache responses with a long reason', async () => {
    const { asked, ask, acts } = world({ unauthorizedTtlMs: 100 })
    acts(() => answer({ allowed: false, reason: 'x'.repeat(10_000) }))
    await ask(jane, path('get', '/a'))
    await ask(jane, path('get', '/a'))
    expect(asked).to.have.length(2)
  })

  describe('without a response', () => {
    const broken = (code: number) => (): never => {
      const status = serverResponse(code, undefined, '')
      throw new RemoteCallError(status.message, { statusCode: code, status })
    }

    it('has no opinion, with an error, after five calls', async () => {
      const { asked, acts, ask, samples } = world()
      acts(broken(500))
      const error = 'an error on the server ("") has prevented the request from succeeding'
      expect(await ask(jane, path('get', '/'))).to.deep.equal({ decision: 'no opinion', reason: '', error })
      expect(asked).to.have.length(5)
      expect(samples()).to.deep.equal([
        'webhook_evaluations_total wh.example.com error 5',
        'webhook_evaluations_fail_open_total wh.example.com error 1',
      ])
    })

    it('denies if configured to', async () => {
      const { asked, acts, ask, samples } = world({ onFailure: 'deny' })
      acts(broken(403))
      expect(await ask(jane, path('get', '/'))).to.deep.equal({ decision: 'deny', reason: '', error: '' })
      expect(asked).to.have.length(1)
      expect(samples()).to.deep.equal(['webhook_evaluations_total wh.example.com error 1'])
    })

    it('distinguishes timeouts and canceled requests', async () => {
      const { acts, ask, samples } = world()
      acts(() => {
        throw new RemoteCallError('Post "x": context deadline exceeded', { end: 'timeout' })
      })
      await ask(jane, path('get', '/'))
      const gone = new AbortController()
      acts(() => {
        gone.abort()
        throw new RemoteCallError('Post "x": context canceled', { end: 'canceled' })
      })
      await ask(jane, path('get', '/'), gone.signal)
      expect(samples()).to.deep.equal([
        'webhook_evaluations_total wh.example.com timeout 1',
        'webhook_evaluations_total wh.example.com canceled 1',
        'webhook_evaluations_fail_open_total wh.example.com timeout 1',
      ])
    })
  })

  it('lists no rules', () => {
    expect(world().authorizer.rulesFor?.(jane, 'ns')).to.deep.equal({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      errors: ['webhook authorizer does not support user rule resolution'],
    })
  })
})

/** Upstream's TestV1WebhookMatchConditions and TestStructuredAuthzConfigFeatureEnablement. */
describe('match conditions of authorization webhooks', () => {
  const alice: User = { name: 'alice', uid: '1', groups: ['group1', 'group2'], extra: { key1: ['a', 'b', 'c'] } }
  const bob: User = { name: 'bob', groups: [] }
  const kittens = pods()
  const selected = pods({
    fieldSelector: [{ field: 'foo', op: '=', value: 'bar' }],
    labelSelector: [{ key: 'baz', operator: '=', values: ['qux'] }],
  })
  const inKittens = "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'kittensandponies'"
  const noKey = (expression: string): string =>
    `cel evaluation error: expression '${expression}' resulted in error: no such key: resourceAttributes`
  const verbIsGet = "request.resourceAttributes.verb == 'get'"
  const namespaceIs = "request.resourceAttributes.namespace == 'kittensandponies'"
  const cases: [title: string, user: User, request: RequestAttributes, expressions: string[], outcome: string][] = [
    ['none', alice, kittens, [], 'allow'],
    [
      'all that hold',
      alice,
      kittens,
      [
        "request.user == 'alice'",
        "request.uid == '1'",
        "('group1' in request.groups)",
        "('key1' in request.extra)",
        "!('key2' in request.extra)",
        "('a' in request.extra['key1'])",
        "!('z' in request.extra['key1'])",
        inKittens,
      ],
      'allow',
    ],
    ['a missing group', alice, kittens, ["request.user == 'alice'", "('group3' in request.groups)", inKittens], 'no opinion'],
    ['another uid', alice, kittens, ["request.user == 'alice'", "request.uid == '2'", inKittens], 'no opinion'],
    ['another user', bob, path('get', '/'), ["request.user == 'alice'"], 'no opinion'],
    ['no resource', bob, path('get', '/'), ["request.user == 'bob'", inKittens], 'no opinion'],
    ['an expression with an error', bob, path('get', '/'), [namespaceIs], noKey(namespaceIs)],
    ['several expressions with errors', bob, path('get', '/'), [verbIsGet, namespaceIs], `[${noKey(verbIsGet)}, ${noKey(namespaceIs)}]`],
    ['a false expression after one with an error', bob, path('get', '/'), [namespaceIs, "request.user == 'alice'"], 'no opinion'],
    [
      'empty attributes',
      bob,
      kittens,
      ["request.resourceAttributes.name == '' && request.uid == '' && request.groups.size() == 0"],
      'allow',
    ],
    [
      'a path',
      bob,
      path('get', '/x'),
      ["request.nonResourceAttributes.path == '/x' && request.nonResourceAttributes.verb == 'get'"],
      'allow',
    ],
    [
      'selectors',
      alice,
      selected,
      [
        "request.?resourceAttributes.fieldSelector.requirements.orValue([]).exists(r, r.key=='foo' && r.operator=='In' && ('bar' in r.values))",
        "request.?resourceAttributes.labelSelector.requirements.orValue([]).exists(r, r.key=='baz' && r.operator=='In' && ('qux' in r.values))",
        "request.resourceAttributes.labelSelector.?requirements.orValue([]).exists(r, r.key=='baz' && r.operator=='In' && ('qux' in r.values))",
      ],
      'allow',
    ],
  ]
  const matcherOf = (expressions: string[]) => {
    const { errors, matcher } = compileConditions(
      expressions.map(expression => ({ expression })),
      fieldPath('matchConditions'),
      { structured: true, selectors: true },
    )
    expect(errors.map(fieldErrorText)).to.deep.equal([])
    return matcher
  }
  for (const [title, user, request, expressions, outcome] of cases)
    it(title, async () => {
      const matcher = matcherOf(expressions)
      const { ask, asked } = world({ onFailure: 'deny', ...(matcher && { matcher }) })
      const { decision, error } = await ask(user, request)
      expect(error ?? decision).to.equal(outcome)
      if (error !== undefined) expect(decision).to.equal('deny')
      expect(asked).to.have.length(outcome === 'allow' ? 1 : 0)
    })

  it('are counted in metrics', async () => {
    const matcher = matcherOf([verbIsGet, namespaceIs])
    const { ask, samples } = world(matcher && { matcher })
    await ask(bob, path('get', '/'))
    await ask(bob, pods({ verb: 'list' }))
    expect(samples()).to.deep.equal([
      'match_condition_evaluation_errors_total Webhook wh.example.com 1',
      'match_condition_exclusions_total Webhook wh.example.com 1',
    ])
  })
})
