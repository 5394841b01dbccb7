import { expect } from 'chai'
import type { SubjectAccessReview } from '../../../../src/api/authorization/v1.types.ts'
import type { ResourceDefinition, VirtualCall } from '../../../../src/catalog/definition.ts'
import type { AuthorizationDecision, Authorizer } from '../../../../src/meta/authorizer.ts'
import type { RequestAttributes, User } from '../../../../src/meta/context.ts'
import { StatusError } from '../../../../src/meta/status.ts'
import {
  createLocalSubjectAccessReviewResource,
  createSelfSubjectAccessReviewResource,
  createSubjectAccessReviewResource,
} from '../../../../src/resources/authorization/access-reviews.ts'
import { createSelfSubjectRulesReviewResource } from '../../../../src/resources/authorization/rules-review.ts'
import { reviewedRequest, reviewUser } from '../../../../src/resources/authorization/shared/attributes.ts'
import { validateSubjectAccessReview } from '../../../../src/resources/authorization/shared/validation.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { featuresOf } from '../../../support/hook-context.ts'
import { answeredObject } from '../../../support/virtual-answer.ts'

const ME: User = { name: 'me', groups: ['dev'] }
const resource = { namespace: 'ns', verb: 'get', resource: 'pods' }

/** Records the attributes it is called with. */
function recorder(decision: AuthorizationDecision = { decision: 'allow', reason: 'so it is' }) {
  const asked: { user: User; request: RequestAttributes }[] = []
  const authorizer: Authorizer = {
    authorize: async (user, request) => {
      asked.push({ user, request })
      return decision
    },
  }
  return { asked, authorizer }
}

async function review(definition: ResourceDefinition, body: object, namespace = '') {
  const { kind } = definition.hub
  const whole = { kind, apiVersion: 'authorization.k8s.io/v1', metadata: {}, ...body }
  const call = { ctx: { user: ME, signal: new AbortController().signal }, verb: 'create', namespace, name: '', body: whole, dryRun: false }
  return answeredObject(await definition.virtual?.call(call as unknown as VirtualCall)) as Record<string, unknown>
}

async function refusal(definition: ResourceDefinition, body: object, namespace = ''): Promise<string> {
  try {
    await review(definition, body, namespace)
    return ''
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return error.message
  }
}

describe('SubjectAccessReview', () => {
  it('authorizes with the valid requirements of the field selector', async () => {
    const { asked, authorizer } = recorder()
    const ask = async (fieldSelector: object, ...gates: string[]) => {
      const spec = { user: 'jane', resourceAttributes: { ...resource, fieldSelector } }
      await review(createSubjectAccessReviewResource(authorizer, featuresOf(...gates)), { spec })
      return asked.at(-1)?.request.fieldSelector
    }
    const requirements = [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'c', operator: 'NotIn', values: ['d'] },
      { key: 'e', operator: 'Exists' },
      { key: 'f', operator: 'In', values: ['g', 'h'] },
    ]
    const terms = [
      { field: 'a', op: '=', value: 'b' },
      { field: 'c', op: '!=', value: 'd' },
    ]
    expect(await ask({ requirements })).to.deep.equal(terms)
    expect(await ask({ rawSelector: 'a=b,c!=d' })).to.deep.equal(terms)
    expect(await ask({ rawSelector: 'a' })).to.equal(undefined)
    expect(await ask({ rawSelector: 'a=b' }, 'AuthorizeWithSelectors=false')).to.equal(undefined)
  })

  it('authorizes with the valid requirements of the label selector', async () => {
    const { asked, authorizer } = recorder()
    const ask = async (labelSelector: object) => {
      await review(createSubjectAccessReviewResource(authorizer, featuresOf()), {
        spec: { user: 'jane', resourceAttributes: { ...resource, labelSelector } },
      })
      return asked.at(-1)?.request.labelSelector
    }
    const requirements = [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'c', operator: 'DoesNotExist' },
      { key: 'd', operator: 'Gt', values: ['1'] },
    ]
    expect(await ask({ requirements })).to.deep.equal([
      { key: 'a', operator: 'in', values: ['b'] },
      { key: 'c', operator: '!', values: [] },
    ])
    expect(await ask({ rawSelector: 'a=b' })).to.deep.equal([{ key: 'a', operator: '=', values: ['b'] }])
    expect(await ask({ rawSelector: 'a in' })).to.equal(undefined)
  })

  it('reports the error of the authorizer before the parse errors of the review', async () => {
    const failing = { authorize: async () => ({ decision: 'no opinion' as const, reason: 'r', error: 'nobody there' }) }
    const spec = { user: 'jane', resourceAttributes: { ...resource, labelSelector: { rawSelector: 'a in' } } }
    const { status } = await review(createSubjectAccessReviewResource(failing, featuresOf()), { spec })
    expect(status).to.deep.equal({
      allowed: false,
      reason: 'r',
      evaluationError: 'nobody there; spec.resourceAttributes.labelSelector ignored due to parse error',
    })
  })

  it('authorizes the user of the review', async () => {
    const { asked, authorizer } = recorder()
    const spec = {
      user: 'jane',
      uid: 'u',
      groups: ['g'],
      extra: { a: ['b'] },
      resourceAttributes: { ...resource, group: 'apps', subresource: 'log', name: 'p' },
    }
    const answer = await review(createSubjectAccessReviewResource(authorizer, featuresOf()), { spec })
    expect(answer.status).to.deep.equal({ allowed: true, reason: 'so it is' })
    expect(answer.spec).to.deep.equal(spec)
    expect(asked[0]?.user).to.deep.equal({ name: 'jane', uid: 'u', groups: ['g'], extra: { a: ['b'] } })
    expect(asked[0]?.request).to.deep.include({
      isResource: true,
      verb: 'get',
      group: 'apps',
      version: '*',
      namespace: 'ns',
      subresource: 'log',
      name: 'p',
    })
  })

  it('authorizes paths', async () => {
    const { asked, authorizer } = recorder({ decision: 'deny', reason: '' })
    const answer = await review(createSubjectAccessReviewResource(authorizer, featuresOf()), {
      spec: { groups: ['g'], nonResourceAttributes: { path: '/x', verb: 'get' } },
    })
    expect(answer.status).to.deep.equal({ allowed: false, denied: true })
    expect(asked[0]?.request).to.include({ isResource: false, path: '/x', verb: 'get' })
  })

  const complaints: [object, string | undefined][] = [
    [{ labelSelector: { rawSelector: 'a in (b)' } }, undefined],
    [
      { labelSelector: { rawSelector: `a in (${'b,'.repeat(40_000)}c)` } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [{ labelSelector: { rawSelector: 'a in' } }, 'spec.resourceAttributes.labelSelector ignored due to parse error'],
    [
      { labelSelector: { requirements: [{ key: 'a', operator: 'Near' }] } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [
      {
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'Exists' },
            { key: 'a', operator: 'Near' },
          ],
        },
      },
      'spec.resourceAttributes.labelSelector partially ignored due to parse error',
    ],
    [{ fieldSelector: { rawSelector: 'a' } }, 'spec.resourceAttributes.fieldSelector ignored due to parse error'],
    [
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'In', values: ['b', 'c'] },
          ],
        },
        labelSelector: { rawSelector: '=' },
      },
      'spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
  ]
  for (const [selectors, text] of complaints)
    it(`reports for ${JSON.stringify(selectors)}: ${text ?? 'nothing'}`, async () => {
      const spec = { user: 'u', resourceAttributes: { ...resource, ...selectors } }
      const { status } = await review(createSubjectAccessReviewResource(recorder().authorizer, featuresOf()), { spec })
      expect((status as { evaluationError?: string }).evaluationError).to.equal(text)
    })

  const refusals: [object, string][] = [
    [
      { spec: { user: 'u' } },
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      { spec: { user: 'u', resourceAttributes: resource, nonResourceAttributes: { path: '/x' } } },
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/x", Verb:""}: cannot be specified in combination with resourceAttributes',
    ],
    [
      { spec: { resourceAttributes: resource } },
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      { spec: { user: 'u', resourceAttributes: { ...resource, fieldSelector: {} } } },
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    ],
    [
      {
        spec: {
          user: 'u',
          resourceAttributes: { ...resource, labelSelector: { requirements: [{ key: '%', operator: 'Exists', values: ['x'] }] } },
        },
      },
      `.authorization.k8s.io "" is invalid: [spec.resourceAttributes.labelSelector.requirements[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist', spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: "%": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]`,
    ],
  ]
  for (const [body, text] of refusals)
    it(`rejects ${JSON.stringify(body)}`, async () =>
      expect(await refusal(createSubjectAccessReviewResource(recorder().authorizer, featuresOf()), body)).to.equal(text))

  it('stops validation after a number of errors', async () => {
    let read = 0
    const values = new Proxy(Array<string>(50_000).fill('wrong-'), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++
        return Reflect.get(target, key) as unknown
      },
    })
    const labelSelector = { requirements: [{ key: 'a', operator: 'In', values }] }
    const spec = { user: 'jane', resourceAttributes: { ...resource, labelSelector } }
    const refused = await refusal(createSubjectAccessReviewResource(recorder().authorizer, featuresOf()), { spec })
    expect(refused).to.include('labelSelector.requirements[0].values[1999]: Invalid value: "wrong-"').and.not.include('values[2000]')
    expect(read).to.be.below(6000)
  })

  describe('a review of very many values', () => {
    const MANY = 20_000
    const many = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i))

    it('reads extra values in steps, and those that are null as empty', () => {
      const extra = Object.fromEntries(many(i => [`k${i}`, i === 0 ? null : [`v${i}`]]))
      const { result, yields } = countedSteps(reviewUser({ user: 'jane', extra }))
      expect(Object.keys(result.extra ?? {})).to.have.length(MANY)
      expect(result.extra).to.deep.include({ k0: [], k1: ['v1'] })
      expect(yields).to.be.at.least(Math.floor(MANY / 512))
    })

    it('validates and parses requirements in steps', () => {
      const fieldSelector = { requirements: many(i => ({ key: `k${i}`, operator: 'In', values: i === 7 ? [] : ['v'] })) }
      const labelSelector = { requirements: many(i => ({ key: i === 7 ? '%' : `k${i}`, operator: 'In', values: ['v'] })) }
      const spec = { user: 'jane', resourceAttributes: { ...resource, fieldSelector, labelSelector } }
      const validated = countedSteps(validateSubjectAccessReview({ metadata: {}, spec } as unknown as SubjectAccessReview))
      expect(validated.result.map(({ field }) => field)).to.deep.equal([
        'spec.resourceAttributes.fieldSelector.requirements[7].values',
        'spec.resourceAttributes.labelSelector.requirements[7].key',
      ])
      expect(validated.yields).to.be.at.least(Math.floor(MANY / 512) + Math.floor(MANY / 32))
      const parsed = countedSteps(reviewedRequest(spec))
      expect(parsed.result.attributes.fieldSelector).to.have.length(MANY - 1)
      expect(parsed.result.attributes.labelSelector).to.have.length(MANY - 1)
      expect(parsed.result.complaints).to.deep.equal([
        'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
        'spec.resourceAttributes.labelSelector partially ignored due to parse error',
      ])
      expect(parsed.yields).to.be.at.least(2 * Math.floor(MANY / 32))
    })

    it('parses a selector in steps, once', () => {
      const rawSelector = many(() => 'a').join(',')
      const { result, yields } = countedSteps(reviewedRequest({ resourceAttributes: { ...resource, labelSelector: { rawSelector } } }))
      expect(result.attributes.labelSelector).to.have.length(MANY)
      expect(yields).to.be.within(MANY, 2 * MANY - 1)
    })
  })

  it('must have no metadata except managedFields', async () => {
    const definition = createSubjectAccessReviewResource(recorder().authorizer, featuresOf())
    const spec = { user: 'u', resourceAttributes: resource }
    expect(await refusal(definition, { metadata: { labels: { a: 'b' } }, spec }))
      .to.contain('metadata: Invalid value')
      .and.to.contain('must be empty')
    expect(
      await refusal(definition, { metadata: { creationTimestamp: null, labels: {}, managedFields: [{ manager: 'm' }] }, spec }),
    ).to.equal('')
  })
})

describe('LocalSubjectAccessReview', () => {
  const definition = createLocalSubjectAccessReviewResource(recorder().authorizer, featuresOf())
  const metadata = { namespace: 'ns' }
  it('must match its namespace', async () => {
    expect(await refusal(definition, { metadata, spec: { user: 'u', resourceAttributes: resource } }, 'ns')).to.equal('')
    expect(
      await refusal(definition, { metadata, spec: { user: 'u', resourceAttributes: { ...resource, namespace: 'x' } } }, 'ns'),
    ).to.contain('spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace')
  })
  it('is limited to resources', async () =>
    expect(await refusal(definition, { metadata, spec: { user: 'u', nonResourceAttributes: { path: '/' } } }, 'ns')).to.contain(
      'disallowed on this kind of request',
    ))
})

describe('SelfSubjectAccessReview', () => {
  it('authorizes the current user', async () => {
    const { asked, authorizer } = recorder({ decision: 'no opinion', reason: 'nobody allows it' })
    const answer = await review(createSelfSubjectAccessReviewResource(authorizer, featuresOf()), { spec: { resourceAttributes: resource } })
    expect(answer.status).to.deep.equal({ allowed: false, reason: 'nobody allows it' })
    expect(asked[0]?.user).to.equal(ME)
  })
})

describe('SelfSubjectRulesReview', () => {
  const rules = {
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
    incomplete: false,
  }
  it('returns the rules of the authorizer', async () => {
    const authorizer: Authorizer = {
      ...recorder().authorizer,
      rulesFor: (user, namespace) => ({ ...rules, errors: [`${user.name} in ${namespace}`] }),
    }
    const answer = await review(createSelfSubjectRulesReviewResource(authorizer), { spec: { namespace: 'ns' } })
    expect(answer.status).to.deep.equal({ ...rules, evaluationError: 'me in ns' })
    expect(answer.spec).to.deep.equal({})
  })
  it('requires a namespace', async () =>
    expect(await refusal(createSelfSubjectRulesReviewResource(recorder().authorizer), { spec: {} })).to.equal('no namespace on request'))
})
