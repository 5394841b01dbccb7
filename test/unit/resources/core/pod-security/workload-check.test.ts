import { expect } from 'chai'
import { deploymentResource } from '../../../../../src/resources/apps/deployment/definition.ts'
import { cronJobResource } from '../../../../../src/resources/batch/cron-job/definition.ts'
import { configMapResource } from '../../../../../src/resources/core/config-map/definition.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { replicationControllerResource } from '../../../../../src/resources/core/replication-controller/definition.ts'
import { podWith } from '../../../../support/pod.ts'
import { type Outcome, podSecurityWorld } from '../../../../support/pod-security.ts'

const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'c', image: 'i:1', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
}
const HOST = { ...RESTRICTED, hostPID: true }
const NON_ROOT = { ...RESTRICTED, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }
const HOST_TEXT = 'host namespaces (hostPID=true)'
const ROOT_TEXT = 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'
const template = (spec: object) => ({ template: { metadata: {}, spec: podWith(spec).spec } })

const refusalOf = (text: string, policy: string): Outcome['refusal'] => ({
  code: 403,
  message: `pods "p" is forbidden: violates PodSecurity "${policy}": ${text}`,
})

describe('PodSecurity on pods', () => {
  it('allows everything without labels', async () =>
    expect(await podSecurityWorld({ labels: {} }).ask(podResource, podWith(HOST))).to.deep.equal({
      warnings: [],
      annotations: { 'enforce-policy': 'privileged:latest' },
      counted: ['evaluations allow privileged latest enforce create pod'],
    }))

  it('allows a pod that satisfies the level', async () =>
    expect(
      await podSecurityWorld({ labels: { enforce: 'restricted', 'enforce-version': 'v1.30' } }).ask(podResource, podWith(RESTRICTED)),
    ).to.deep.equal({
      warnings: [],
      annotations: { 'enforce-policy': 'restricted:v1.30' },
      counted: ['evaluations allow restricted v1.30 enforce create pod'],
    }))

  it('rejects a pod that violates the level, and annotates the audit event', async () =>
    expect(await podSecurityWorld({ labels: { enforce: 'baseline', audit: 'restricted' } }).ask(podResource, podWith(HOST))).to.deep.equal({
      refusal: refusalOf(HOST_TEXT, 'baseline:latest'),
      warnings: [],
      annotations: {
        'enforce-policy': 'baseline:latest',
        'audit-violations': `would violate PodSecurity "restricted:latest": ${HOST_TEXT}`,
      },
      counted: ['evaluations deny baseline latest enforce create pod', 'evaluations deny restricted latest audit create pod'],
    }))

  it('warns about an allowed pod that violates the warn level', async () =>
    expect(
      await podSecurityWorld({ labels: { warn: 'restricted', 'warn-version': 'v1.99' } }).ask(podResource, podWith(NON_ROOT)),
    ).to.deep.equal({
      warnings: [`would violate PodSecurity "restricted:v1.99": ${ROOT_TEXT}`],
      annotations: { 'enforce-policy': 'privileged:latest' },
      counted: ['evaluations allow privileged latest enforce create pod', 'evaluations deny restricted future warn create pod'],
    }))

  it('lists all violations', async () =>
    expect(
      (await podSecurityWorld({ labels: { enforce: 'restricted' } }).ask(podResource, podWith({ ...NON_ROOT, hostPID: true }))).refusal,
    ).to.deep.equal(refusalOf(`${HOST_TEXT}, ${ROOT_TEXT}`, 'restricted:latest')))

  it('treats invalid labels as restricted, and reports them in the audit event', async () =>
    expect(await podSecurityWorld({ labels: { enforce: 'x', 'warn-version': 'y' } }).ask(podResource, podWith(NON_ROOT))).to.deep.equal({
      refusal: refusalOf(ROOT_TEXT, 'restricted:latest'),
      warnings: [],
      annotations: {
        'enforce-policy': 'restricted:latest',
        error:
          'Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, ' +
          'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "y": must be "latest" or "v1.x"]',
      },
      counted: ['evaluations deny restricted latest enforce create pod', 'errors false create pod'],
    }))

  it('fails if the namespace cannot be read', async () =>
    expect(await podSecurityWorld({}).ask(podResource, podWith({}))).to.deep.equal({
      refusal: { code: 500, message: 'Internal error occurred: failed to lookup namespace "ns"' },
      warnings: [],
      annotations: { error: 'Internal error occurred: failed to lookup namespace "ns": namespaces "ns" not found' },
      counted: ['errors true create pod'],
    }))

  const NAMES = new Set(['ns'])
  const NOBODY = { usernames: new Set<string>(), namespaces: new Set<string>(), runtimeClasses: new Set<string>() }
  const exempt: [string, object, object, object][] = [
    ['namespace', { namespaces: NAMES }, {}, {}],
    ['user', { usernames: new Set(['jane']) }, {}, {}],
    ['runtimeClass', { runtimeClasses: new Set(['gvisor']) }, { runtimeClassName: 'gvisor' }, {}],
  ]
  for (const [why, exemptions, spec] of exempt)
    it(`exempts by ${why}`, async () =>
      expect(
        await podSecurityWorld({ labels: { enforce: 'restricted' }, configuration: { exemptions: { ...NOBODY, ...exemptions } } }).ask(
          podResource,
          podWith({ ...HOST, ...spec }),
        ),
      ).to.deep.equal({ warnings: [], annotations: { exempt: why }, counted: ['exemptions create pod'] }))

  it('uses the default levels of its configuration', async () => {
    const level = { level: 'baseline', version: 'v1.0' } as const
    const configuration = { defaults: { enforce: level, audit: level, warn: level } }
    expect((await podSecurityWorld({ labels: {}, configuration }).ask(podResource, podWith(HOST))).refusal).to.deep.equal(
      refusalOf(HOST_TEXT, 'baseline:v1.0'),
    )
  })

  const enforced = podSecurityWorld({ labels: { enforce: 'baseline' } })
  const update = (change: (pod: ReturnType<typeof podWith>) => void, parts: object = {}) => {
    const pod = podWith(HOST)
    change(pod)
    return enforced.ask(podResource, pod, { operation: 'UPDATE', old: podWith(HOST), ...parts })
  }
  const ephemeral = { name: 'e', image: 'i:1', resources: {} }
  const updates: [string, (pod: ReturnType<typeof podWith>) => void, object, boolean][] = [
    ['of a label', pod => (pod.metadata.labels = { a: 'b' }), {}, true],
    ['of an image', pod => (pod.spec.containers[0].image = 'i:2'), {}, false],
    ['of a number of containers', pod => (pod.spec.initContainers = [ephemeral]), {}, false],
    [
      'that adds an ephemeral container',
      pod => (pod.spec.ephemeralContainers = [ephemeral]),
      { subresource: 'ephemeralcontainers' },
      false,
    ],
    ['of a size', pod => (pod.spec.containers[0].resources = { limits: { cpu: '1' } }), { subresource: 'resize' }, true],
    ['of the status', pod => (pod.spec.containers[0].image = 'i:2'), { subresource: 'status' }, true],
  ]
  for (const [what, change, parts, passes] of updates)
    it(`${passes ? 'allows' : 'rejects'} an update ${what}`, async () =>
      expect((await update(change, parts)).refusal === undefined).to.equal(passes))

  it('checks updates of seccomp annotations before release 1.27', async () => {
    const annotated = (value: string) => podWith(HOST, { annotations: { 'container.seccomp.security.alpha.kubernetes.io/c': value } })
    const refused = async (release: '1.26' | '1.27') =>
      (
        await podSecurityWorld({ labels: { enforce: 'baseline' }, release }).ask(podResource, annotated('a'), {
          operation: 'UPDATE',
          old: annotated('b'),
        })
      ).refusal !== undefined
    expect([await refused('1.26'), await refused('1.27')]).to.deep.equal([true, false])
  })

  it('is disabled in release 1.24 if its gate is off', async () => {
    const refused = async (on: boolean) =>
      (
        await podSecurityWorld({ labels: { enforce: 'baseline' }, release: '1.24', gates: { PodSecurity: on } }).ask(
          podResource,
          podWith(HOST),
        )
      ).refusal !== undefined
    expect([await refused(true), await refused(false)]).to.deep.equal([true, false])
  })
})

describe('PodSecurity on kinds with a pod template', () => {
  const labels = { enforce: 'baseline', audit: 'restricted', warn: 'restricted' }
  const told = {
    warnings: [`would violate PodSecurity "restricted:latest": ${HOST_TEXT}`],
    annotations: { 'audit-violations': `would violate PodSecurity "restricted:latest": ${HOST_TEXT}` },
    counted: ['evaluations deny restricted latest audit create controller', 'evaluations deny restricted latest warn create controller'],
  }
  it('warns, and rejects nothing', async () =>
    expect(await podSecurityWorld({ labels }).ask(deploymentResource, { metadata: {}, spec: template(HOST) })).to.deep.equal(told))
  it('checks the template of a cron job', async () =>
    expect(
      await podSecurityWorld({ labels }).ask(cronJobResource, {
        metadata: {},
        spec: { jobTemplate: { metadata: {}, spec: template(HOST) } },
      }),
    ).to.deep.equal(told))
  it('ignores an object without a template', async () =>
    expect(await podSecurityWorld({ labels }).ask(replicationControllerResource, { metadata: {}, spec: {} })).to.deep.equal({
      warnings: [],
      annotations: {},
      counted: [],
    }))
  it('warns about violations of the enforce level, since release 1.26', async () => {
    const warnings = async (release: '1.25' | '1.26') =>
      (await podSecurityWorld({ labels: { enforce: 'baseline' }, release }).ask(deploymentResource, { metadata: {}, spec: template(HOST) }))
        .warnings
    expect(await warnings('1.25')).to.deep.equal([])
    expect(await warnings('1.26')).to.deep.equal([`would violate PodSecurity "baseline:latest": ${HOST_TEXT}`])
  })
  it('allows the object if the namespace cannot be read', async () =>
    expect(await podSecurityWorld({}).ask(deploymentResource, { metadata: {}, spec: template(HOST) })).to.deep.equal({
      warnings: [],
      annotations: { error: 'failed to lookup namespace "ns": namespaces "ns" not found' },
      counted: ['errors true create controller'],
    }))
  it('ignores the scale subresource, and other kinds', async () => {
    const world = podSecurityWorld({ labels })
    expect(
      (await world.ask(deploymentResource, { metadata: {}, spec: {} }, { subresource: 'scale', operation: 'UPDATE' })).warnings,
    ).to.deep.equal([])
    expect((await world.ask(configMapResource, { metadata: {} })).warnings).to.deep.equal([])
  })
})
