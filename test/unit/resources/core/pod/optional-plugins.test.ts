import { expect } from 'chai'
import type { Namespace } from '../../../../../src/api/core/v1.types.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { isStatusError } from '../../../../../src/meta/status.ts'
import { alwaysPullImages } from '../../../../../src/resources/core/pod/always-pull-images.ts'
import { limitPodHardAntiAffinityTopology } from '../../../../../src/resources/core/pod/anti-affinity-topology.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { extendedResourceToleration } from '../../../../../src/resources/core/pod/extended-resource-toleration.ts'
import { nodeSelectorsOf, podNodeSelector } from '../../../../../src/resources/core/pod/node-selector-admission.ts'
import { podTolerationRestriction, tolerationRules } from '../../../../../src/resources/core/pod/toleration-restriction.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { loose } from '../../../../support/any-object.ts'
import { podWith } from '../../../../support/pod.ts'

const namespaceWith = (annotations: Record<string, string> | undefined) => async () =>
  ({ metadata: { name: 'ns', ...(annotations && { annotations }) }, spec: {}, status: {} }) as unknown as Namespace
const request = (object: object, parts: object = {}) => admissionRequest(podResource, object, { name: 'p', namespace: 'ns', ...parts })
const update = (object: object, old: object) => request(object, { operation: 'UPDATE', old })

describe('AlwaysPullImages', () => {
  const volumes = [{ name: 'v', image: { reference: 'r', pullPolicy: 'IfNotPresent' } }]
  const initContainers = [{ name: 'i', image: 'j', imagePullPolicy: 'Never' }]

  it('sets the pull policy of all containers and volumes', async () => {
    const pod = podWith({ volumes, initContainers })
    await alwaysPullImages.mutate?.(request(pod))
    const {
      containers,
      initContainers: [init],
      volumes: [volume],
    } = loose(pod).spec
    expect([containers[0].imagePullPolicy, init.imagePullPolicy, volume.image.pullPolicy]).to.deep.equal(['Always', 'Always', 'Always'])
  })

  it('rejects a policy that another plugin has changed, with an error that is no Status upstream', async () => {
    const error = await alwaysPullImages
      .validate?.(request(podWith({ initContainers, containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always' }] })))
      ?.catch(caught => caught)
    expect([error.status.code, error.message]).to.deep.equal([
      500,
      'pods "p" is forbidden: spec.initContainers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    ])
    expect(
      await refusal(
        alwaysPullImages.validate?.(
          request(podWith({ initContainers, volumes, containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always' }] })),
        ),
      ),
    ).to.match(
      /^\[pods "p" is forbidden: spec.initContainers.*, pods "p" is forbidden: spec.volumes\[0\].image.pullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"\]$/,
    )
  })

  it('ignores updates without a new image, and subresources', () => {
    const old = podWith({
      containers: [
        { name: 'c', image: 'a' },
        { name: 'd', image: 'b' },
      ],
    })
    expect(alwaysPullImages.handles(update(podWith({ containers: [{ name: 'c', image: 'b' }] }), old))).to.equal(false)
    expect(alwaysPullImages.handles(update(podWith({ containers: [{ name: 'c', image: 'x' }] }), old))).to.equal(true)
    expect(alwaysPullImages.handles(request(old, { subresource: 'status', operation: 'UPDATE', old }))).to.equal(false)
  })
})

describe('LimitPodHardAntiAffinityTopology', () => {
  const away = (topologyKey: string) => ({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }, { topologyKey }] },
    },
  })
  const ask = (spec: object) => refusal(limitPodHardAntiAffinityTopology.validate?.(request(podWith(spec))))

  it('allows anti-affinity only within a node', async () => {
    expect(await ask({})).to.equal(undefined)
    expect(await ask(away('kubernetes.io/hostname'))).to.equal(undefined)
    expect(await ask(away('zone'))).to.equal(
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    )
  })
})

describe('ExtendedResourceToleration', () => {
  const asks = (...names: string[]) => ({ resources: { requests: Object.fromEntries(names.map(name => [name, '1'])) } })
  const tolerationsOf = async (spec: object) => {
    const pod = podWith(spec)
    await extendedResourceToleration.mutate?.(request(pod))
    return loose(pod).spec.tolerations
  }
  const exists = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' })

  it('tolerates the taints of requested resources, in order, each once', async () => {
    const spec = {
      containers: [{ name: 'c', ...asks('b.com/x', 'cpu', 'a.com/x') }],
      initContainers: [{ name: 'i', ...asks('b.com/x', 'example.kubernetes.io/x') }],
    }
    expect(await tolerationsOf(spec)).to.deep.equal([exists('a.com/x'), exists('b.com/x')])
    expect(await tolerationsOf({ containers: [{ name: 'c', ...asks('cpu') }] })).to.equal(undefined)
  })

  it('keeps existing tolerations', async () => {
    const other = { key: 'a.com/x', operator: 'Equal', value: 'v', effect: 'NoSchedule' }
    const spec = { containers: [{ name: 'c', ...asks('a.com/x') }] }
    expect(await tolerationsOf({ ...spec, tolerations: [exists('a.com/x'), other] })).to.deep.equal([exists('a.com/x'), other])
    expect(await tolerationsOf({ ...spec, tolerations: [other] })).to.deep.equal([other, exists('a.com/x')])
  })
})

describe('PodNodeSelector', () => {
  const NODE_SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector'
  const config = (text: string) => nodeSelectorsOf(new Map([['PodNodeSelector', Buffer.from(text)]]))
  const CLUSTER = config('podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: "infra=false"\n  ns: "infra=false, env = test"\n')
  const given = async (selectors: ReturnType<typeof config>, annotation: string | undefined, nodeSelector: object | undefined) => {
    const plugin = podNodeSelector(selectors, namespaceWith(annotation === undefined ? undefined : { [NODE_SELECTOR]: annotation }))
    const pod = podWith(nodeSelector ? { nodeSelector } : {})
    const why = await refusal(plugin.mutate?.(request(pod)))
    return why ?? loose(pod).spec.nodeSelector
  }
  const CONFLICT = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector'
  const NOT_ALLOWED = 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist'

  for (const [what, selectors, annotation, nodeSelector, expected] of [
    ['adds the selector of the namespace', config('{}'), 'env=test', { zone: 'a' }, { env: 'test', zone: 'a' }],
    ['adds that of the cluster if the namespace has none', CLUSTER, undefined, undefined, { infra: 'false' }],
    ['adds nothing if neither has one', config('{}'), undefined, undefined, undefined],
    ['an empty annotation is a selector', CLUSTER, '', undefined, undefined],
    ['rejects a conflict with the namespace', config('{}'), 'env=test', { env: 'prod' }, CONFLICT],
    ['refuses labels that are not allowed', CLUSTER, 'env=test', { zone: 'a' }, NOT_ALLOWED],
    ['refuses values that are not allowed', CLUSTER, 'zone=a', undefined, NOT_ALLOWED],
    ['an annotation that is not a selector', config('{}'), 'a=b=c', undefined, 'invalid selector: [a b c]'],
  ] as const)
    it(what, async () => expect(await given(selectors, annotation, nodeSelector)).to.deep.equal(expected))

  it('reports errors in a selector', async () => {
    expect(await given(config('{}'), '-=x', undefined)).to.match(/^: Invalid value: "-": name part must consist of/)
    expect(await given(config('{}'), 'a=-', undefined)).to.match(/^\[a\]: Invalid value: "-": a valid label must be/)
    expect(() => config('PODNODESELECTORPLUGINCONFIG: {ns: 1}')).to.throw(
      `couldn't init admission plugin "PodNodeSelector": the selector of ns is no text`,
    )
  })
})

describe('PodTolerationRestriction', () => {
  const ANNOTATION = {
    default: 'scheduler.alpha.kubernetes.io/defaultTolerations',
    allowed: 'scheduler.alpha.kubernetes.io/tolerationsWhitelist',
  }
  const RULES = tolerationRules(new Map())
  const PRESSURE = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }
  const burstable = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] }
  const equal = (key: string, value: string, more: object = {}) => ({
    key,
    operator: 'Equal' as const,
    value,
    effect: 'NoSchedule' as const,
    ...more,
  })

  const given = async (annotations: Record<string, unknown>, spec: object, rules = RULES, old?: object) => {
    const texts = Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    )
    const plugin = podTolerationRestriction(rules, parseGates('1.33'), namespaceWith(texts))
    const pod = podWith(spec)
    const asked = old ? update(pod, old) : request(pod)
    const error = await plugin.mutate?.(asked)?.then(
      () => plugin.validate?.(asked),
      caught => caught,
    )
    if (isStatusError(error)) return [error.status.code, error.message]
    return loose(pod).spec.tolerations
  }

  it('adds the tolerations of the namespace, or else those of the cluster', async () => {
    const cluster = { default: [equal('c', 'v')] }
    expect(await given({ [ANNOTATION.default]: [equal('a', 'v')] }, {}, cluster)).to.deep.equal([equal('a', 'v')])
    expect(await given({}, {}, cluster)).to.deep.equal([equal('c', 'v')])
    expect(await given({ [ANNOTATION.default]: '' }, {}, cluster)).to.equal(undefined)
    expect(await given({}, {}, cluster, podWith({}))).to.equal(undefined)
  })

  it('tolerates memory pressure unless the pod is best-effort', async () => {
    expect(await given({}, burstable)).to.deep.equal([PRESSURE])
    expect(await given({}, burstable, RULES, podWith(burstable))).to.deep.equal([PRESSURE])
  })

  it('omits tolerations that others cover', async () => {
    const all = { operator: 'Exists' }
    for (const [own, added, merged] of [
      [[equal('a', 'v')], [equal('a', 'v')], [equal('a', 'v')]],
      [[equal('a', 'v')], [{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Exists' }]],
      [[equal('a', 'v')], [equal('a', 'w')], [equal('a', 'v'), equal('a', 'w')]],
      [[all], [equal('a', 'v')], [all]],
      [
        [equal('a', 'v', { effect: 'NoExecute', tolerationSeconds: 9 })],
        [equal('a', 'v', { effect: 'NoExecute', tolerationSeconds: 5 })],
        [equal('a', 'v', { effect: 'NoExecute', tolerationSeconds: 9 })],
      ],
    ])
      expect(await given({ [ANNOTATION.default]: added }, { tolerations: own })).to.deep.equal(merged)
  })

  it('rejects tolerations that are not allowed, with an error that is no Status upstream', async () => {
    const conflict = (scope: string) => [
      500,
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    ]
    const own = { tolerations: [equal('a', 'v')] }
    expect(await given({ [ANNOTATION.allowed]: [equal('a', 'w')] }, own)).to.deep.equal(conflict('namespace'))
    expect(await given({ [ANNOTATION.allowed]: [{ key: 'a', operator: 'Exists' }] }, own)).to.deep.equal([equal('a', 'v')])
    expect(await given({}, own, { whitelist: [equal('b', 'v')] })).to.deep.equal(conflict('cluster'))
    expect(await given({ [ANNOTATION.allowed]: '' }, own, { whitelist: [equal('b', 'v')] })).to.deep.equal([equal('a', 'v')])
    expect(await given({ [ANNOTATION.allowed]: '{' }, own)).to.deep.equal([500, 'unexpected end of JSON input'])
  })

  it('processes very many tolerations', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => equal('a', `${i}`))
    expect(await given({ [ANNOTATION.default]: many, [ANNOTATION.allowed]: many.toReversed() }, { tolerations: many })).to.deep.equal(many)
  })

  it('decodes member names as Go does', async () => {
    expect(await given({ [ANNOTATION.default]: [{ Key: 'a', OPERATOR: 'Exists', tolerationseconds: 5 }] }, {})).to.deep.equal([
      { key: 'a', operator: 'Exists', tolerationSeconds: 5 },
    ])
  })

  it('validates its configuration', () => {
    const config = (text: string) =>
      tolerationRules(
        new Map([
          [
            'PodTolerationRestriction',
            Buffer.from(`apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n${text}`),
          ],
        ]),
      )
    expect(config('default: [{key: a, operator: Exists}]').default).to.deep.equal([{ key: 'a', operator: 'Exists' }])
    expect(() => config('whitelist: [{key: "-"}]')).to.throw(
      `couldn't init admission plugin "PodTolerationRestriction": invalid config: [podtolerationrestriction.whitelist[0].key: Invalid value: "-": `,
    )
  })
})
