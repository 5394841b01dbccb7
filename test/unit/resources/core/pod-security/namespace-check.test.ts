import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { namespaceResource } from '../../../../../src/resources/core/namespace/definition.ts'
import { podWith } from '../../../../support/pod.ts'
import { podSecurityWorld, securityLabels } from '../../../../support/pod-security.ts'

const namespace = (labels: Record<string, string>) => ({ metadata: { name: 'ns', labels: securityLabels(labels) }, spec: {} })
const update = (old: Record<string, string>) => ({ operation: 'UPDATE', namespace: '', name: 'ns', old: namespace(old) })
const CREATE = { namespace: '' }
const pod = (name: string, spec: object = {}, metadata: object = {}) => podWith(spec, { name, ...metadata }) as unknown as Pod
const LEVEL = 'must be one of privileged, baseline, restricted'
const HOST_PATH = [{ name: 'v', hostPath: { path: '/' } }]
const EXEMPT = { usernames: new Set<string>(), namespaces: new Set(['ns']), runtimeClasses: new Set(['gvisor']) }
const controlledBy = (uid: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }] })

describe('PodSecurity on namespaces', () => {
  const wrong = (label: string, value: string, why: string): string =>
    `metadata.labels[pod-security.kubernetes.io/${label}]: Invalid value: "${value}": ${why}`
  const refused: [string, Record<string, string>, Record<string, string> | undefined, string | undefined][] = [
    [
      'right labels',
      { enforce: 'baseline', 'enforce-version': 'v1.7', audit: 'privileged', warn: 'restricted', 'warn-version': 'latest' },
      undefined,
      undefined,
    ],
    ['a wrong level', { enforce: 'x' }, undefined, wrong('enforce', 'x', LEVEL)],
    ['an empty level', { warn: '' }, undefined, wrong('warn', '', LEVEL)],
    ['a wrong version', { 'audit-version': 'v2.1' }, undefined, wrong('audit-version', 'v2.1', 'must be "latest" or "v1.x"')],
    ['a version with a zero', { 'audit-version': 'v1.01' }, undefined, wrong('audit-version', 'v1.01', 'must be "latest" or "v1.x"')],
    [
      'a version beyond numbers',
      { 'audit-version': 'v1.9223372036854775808' },
      undefined,
      wrong('audit-version', 'v1.9223372036854775808', 'must be "latest" or "v1.x"'),
    ],
    ['several', { warn: 'a', enforce: 'b' }, undefined, `[${wrong('enforce', 'b', LEVEL)}, ${wrong('warn', 'a', LEVEL)}]`],
    ['an unchanged invalid label', { enforce: 'x' }, { enforce: 'x' }, undefined],
    ['another invalid label', { enforce: 'x' }, { enforce: 'y' }, wrong('enforce', 'x', LEVEL)],
  ]
  for (const [what, labels, old, why] of refused)
    it(`${why === undefined ? 'accepts' : 'rejects'} ${what}`, async () =>
      expect((await podSecurityWorld({}).ask(namespaceResource, namespace(labels), old ? update(old) : CREATE)).refusal).to.deep.equal(
        why === undefined ? undefined : { code: 422, message: `Namespace "ns" is invalid: ${why}` },
      ))

  const PODS = [
    pod('b', { hostPID: true }),
    pod('c', { hostPID: true }),
    pod('a', { hostPID: true }),
    pod('d'),
    pod('e', { hostPID: true, volumes: HOST_PATH }),
  ]
  const headOf = (level: string): string => `existing pods in namespace "ns" violate the new PodSecurity enforce level "${level}"`
  const FOUND = [headOf('baseline:latest'), 'a (and 2 other pods): host namespaces', 'e: host namespaces, hostPath volumes']
  const raised: [string, Record<string, string>, Record<string, string>, string[]][] = [
    ['if a level is raised', { enforce: 'baseline' }, {}, FOUND],
    ['if a level is lowered in another version', { enforce: 'baseline' }, { enforce: 'restricted', 'enforce-version': 'v1.30' }, FOUND],
    ['never if nothing changes', { enforce: 'baseline' }, { enforce: 'baseline' }, []],
    ['never if a level is lowered', { enforce: 'baseline' }, { enforce: 'restricted' }, []],
    ['never if only the warn level changes', { warn: 'restricted' }, {}, []],
  ]
  for (const [what, labels, old, warnings] of raised)
    it(`warns about existing pods ${what}`, async () =>
      expect(await podSecurityWorld({ pods: PODS }).ask(namespaceResource, namespace(labels), update(old))).to.deep.equal({
        warnings,
        annotations: {},
        counted: [],
      }))

  const raise = async (world: Parameters<typeof podSecurityWorld>[0], parts: Record<string, unknown> = {}) =>
    (await podSecurityWorld(world).ask(namespaceResource, namespace({ enforce: 'baseline' }), { ...update({}), ...parts })).warnings

  it('names one pod and counts the others', async () =>
    expect(await raise({ pods: PODS.slice(0, 2) })).to.deep.equal([headOf('baseline:latest'), 'b (and 1 other pod): host namespaces']))
  it('skips exempt runtime classes', async () => {
    const configuration = { exemptions: { ...EXEMPT, namespaces: new Set<string>() } }
    expect(await raise({ configuration, pods: [pod('a', { hostPID: true, runtimeClassName: 'gvisor' })] })).to.deep.equal([])
  })
  it('warns if pods cannot be listed', async () =>
    expect(await raise({ failsToList: true })).to.deep.equal(['failed to list pods while checking new PodSecurity enforce level']))

  it('checks one pod of each controller first, within its time', async () => {
    const pods = [
      pod('a', {}, controlledBy('u')),
      pod('b', { hostPID: true }, controlledBy('u')),
      pod('c', {}, controlledBy('v')),
      pod('d'),
    ]
    const late = (checked: number) => `new PodSecurity enforce level only checked against the first ${checked} of 4 existing pods`
    expect(await raise({ pods, tick: 334 })).to.deep.equal([late(3)])
    expect(await raise({ pods, tick: 251 })).to.deep.equal([headOf('baseline:latest'), 'b: host namespaces'])
  })
  it('uses at most half of the remaining time', async () =>
    expect(await raise({ pods: PODS, tick: 100 }, { deadline: 500 })).to.deep.equal([
      'new PodSecurity enforce level only checked against the first 2 of 5 existing pods',
      headOf('baseline:latest'),
      'b (and 1 other pod): host namespaces',
    ]))
  it('checks at most 3000 pods', async () => {
    const pods = Array.from({ length: 3001 }, () => pod('a'))
    expect(await raise({ pods })).to.deep.equal(['new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods'])
  })

  describe('that are exempt', () => {
    const configuration = { exemptions: EXEMPT }
    const labels = { enforce: 'baseline', 'warn-version': 'v1.1' }
    const warned = async (release: Release, parts: Record<string, unknown> = CREATE, given: Record<string, string> = labels) =>
      (await podSecurityWorld({ configuration, release, pods: PODS }).ask(namespaceResource, namespace(given), parts)).warnings
    const ignored = (policy: string): string[] => [`namespace "ns" is exempt from Pod Security, and the policy (${policy}) will be ignored`]
    it('warns that labels have no effect', async () =>
      expect(await warned('1.33')).to.deep.equal(ignored('enforce=baseline:latest, warn=baseline:v1.1')))
    it('warns on updates as well', async () =>
      expect(await warned('1.33', update({}))).to.deep.equal(ignored('enforce=baseline:latest, warn=baseline:v1.1')))
    it('warns less before release 1.26, and not before 1.25', async () => {
      expect(await warned('1.25')).to.deep.equal(ignored('enforce=baseline:latest'))
      expect(await warned('1.24')).to.deep.equal([])
    })
    it('does not warn if no level restricts pods', async () =>
      expect(await warned('1.33', CREATE, { enforce: 'privileged' })).to.deep.equal([]))
    it('annotates updates in the audit log of release 1.24', async () => {
      const world = podSecurityWorld({ configuration, release: '1.24' })
      expect((await world.ask(namespaceResource, namespace(labels), update({}))).annotations).to.deep.equal({ exempt: 'namespace' })
    })
  })

  it('does not check updates of the status', async () =>
    expect(
      (await podSecurityWorld({}).ask(namespaceResource, namespace({ enforce: 'x' }), { ...update({}), subresource: 'status' })).refusal,
    ).to.equal(undefined))
})
