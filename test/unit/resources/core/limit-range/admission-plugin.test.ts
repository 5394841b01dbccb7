import { expect } from 'chai'
import type { LimitRange } from '../../../../../src/api/core/v1.types.ts'
import { limitRanger } from '../../../../../src/resources/core/limit-range/admission-plugin.ts'
import { persistentVolumeClaimResource } from '../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { loose } from '../../../../support/any-object.ts'

const range = (...limits: object[]): LimitRange => ({ metadata: { name: 'l' }, spec: { limits } }) as unknown as LimitRange
const using = (ranges: readonly LimitRange[]) => limitRanger(async () => ranges)
const parts = { name: 'p', namespace: 'ns', ctx: { signal: new AbortController().signal } }

const container = (requests?: object, limits?: object, more: object = {}): object => ({
  name: 'c',
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
  ...more,
})
const pod = (containers: object[], initContainers?: object[]) => ({
  metadata: {},
  spec: { containers, ...(initContainers && { initContainers }) },
})
const claim = (storage?: string) => ({ metadata: {}, spec: { resources: { requests: { ...(storage && { storage }) } } } })
const FORBIDDEN = 'pods "p" is forbidden: '

describe('LimitRanger', () => {
  const defaults: [string, object[], ReturnType<typeof pod>, object, string | undefined][] = [
    [
      'adds missing values',
      [{ type: 'Container', default: { memory: '1Gi', cpu: '1' }, defaultRequest: { cpu: '100m' } }],
      pod([container(undefined, { cpu: '2' })]),
      [container({ cpu: '100m' }, { cpu: '2', memory: '1Gi' })],
      'LimitRanger plugin set: cpu request for container c; memory limit for container c',
    ],
    [
      'keeps given values',
      [{ type: 'Container', default: { cpu: '1' } }],
      pod([container({}, { cpu: '2' })]),
      [container({}, { cpu: '2' })],
      undefined,
    ],
    ['is about containers', [{ type: 'Pod', max: { cpu: '1' } }], pod([container()]), [container()], undefined],
  ]
  for (const [what, limits, given, containers, annotation] of defaults) {
    it(`defaults: ${what}`, async () => {
      const request = admissionRequest(podResource, given, parts)
      await using([range(...limits)]).mutate?.(request)
      const { object } = request
      expect(loose(object).spec.containers).to.deep.equal(containers)
      expect(object?.metadata.annotations?.['kubernetes.io/limit-ranger']).to.equal(annotation)
    })
  }

  it('defaults init containers, with the first range that has a value', async () => {
    const ranges = [range({ type: 'Container', default: { cpu: '1' } }), range({ type: 'Container', default: { cpu: '2', 'a.b/c': '3' } })]
    const request = admissionRequest(podResource, pod([], [container()]), parts)
    await using(ranges).mutate?.(request)
    const { object } = request
    expect(loose(object).spec.initContainers).to.deep.equal([container(undefined, { cpu: '1', 'a.b/c': '3' })])
    expect(object?.metadata.annotations?.['kubernetes.io/limit-ranger']).to.equal(
      'LimitRanger plugin set: a.b/c limit for init container c',
    )
  })

  it('defaults containers that are resized', async () => {
    const request = admissionRequest(podResource, pod([container({ cpu: '2' })]), { ...parts, operation: 'UPDATE', subresource: 'resize' })
    await using([range({ type: 'Container', default: { memory: '1Gi' } })]).mutate?.(request)
    expect(loose(request.object).spec.containers).to.deep.equal([container({ cpu: '2' }, { memory: '1Gi' })])
  })

  const checks: [string, object, ReturnType<typeof pod>, string | undefined][] = [
    ['within', { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } }, pod([container({ cpu: '100m' }, { cpu: '1' })]), undefined],
    [
      'less',
      { type: 'Container', min: { cpu: '100m' } },
      pod([container({ cpu: '50m' })]),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'a limit that is less',
      { type: 'Container', min: { cpu: '100m' } },
      pod([container({ cpu: '100m' }, { cpu: '50m' })]),
      'minimum cpu usage per Container is 100m, but limit is 50m',
    ],
    [
      'no request',
      { type: 'Container', min: { cpu: '100m' } },
      pod([container()]),
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      'more',
      { type: 'Container', max: { cpu: '800m' } },
      pod([container({}, { cpu: '1.5' })]),
      'maximum cpu usage per Container is 800m, but limit is 1500m',
    ],
    [
      'no limit',
      { type: 'Container', max: { cpu: '1' } },
      pod([container({ cpu: '1' })]),
      'maximum cpu usage per Container is 1.  No limit is specified',
    ],
    [
      'a request that is more',
      { type: 'Container', max: { cpu: '1' } },
      pod([container({ cpu: '2' }, { cpu: '1' })]),
      'maximum cpu usage per Container is 1, but request is 2',
    ],
    [
      'a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1.5' } },
      pod([container({ cpu: '1' }, { cpu: '2' })]),
      'cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000',
    ],
    [
      'a ratio to nothing',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod([container({ cpu: '0' }, { cpu: '2' })]),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'several faults, each once',
      { type: 'Container', max: { cpu: '1', memory: '1Gi' } },
      pod([container({}, { cpu: '2' }), container({}, { cpu: '2' })]),
      '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi.  No limit is specified]',
    ],
    [
      'a pod of several',
      { type: 'Pod', max: { cpu: '2' } },
      pod([container({}, { cpu: '1' }), container({}, { cpu: '1500m' })]),
      'maximum cpu usage per Pod is 2, but limit is 2500m',
    ],
    [
      'a pod whose init containers run one by one',
      { type: 'Pod', max: { cpu: '2' } },
      pod([container({}, { cpu: '1' })], [container({}, { cpu: '2' }), container({}, { cpu: '2' })]),
      undefined,
    ],
    [
      'a pod with a sidecar',
      { type: 'Pod', max: { cpu: '2' } },
      pod([container({}, { cpu: '1' })], [container({}, { cpu: '1' }, { restartPolicy: 'Always' }), container({}, { cpu: '2' })]),
      'maximum cpu usage per Pod is 2, but limit is 3',
    ],
  ]
  for (const [what, limit, object, fault] of checks) {
    it(`checks pods: ${what}`, async () => {
      const told = await refusal(using([range(limit)]).validate?.(admissionRequest(podResource, object, parts)))
      expect(told).to.equal(fault === undefined ? undefined : FORBIDDEN + fault)
    })
  }

  const claims: [string | undefined, string | undefined][] = [
    ['3Gi', undefined],
    ['1Gi', 'minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi'],
    ['6Gi', 'maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi'],
  ]
  for (const [storage, fault] of claims) {
    it(`checks claims of ${storage}`, async () => {
      const plugin = using([range({ type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '5Gi' } })])
      const told = await refusal(
        plugin.validate?.(admissionRequest(persistentVolumeClaimResource, claim(storage), { ...parts, name: 'c' })),
      )
      expect(told).to.equal(fault === undefined ? undefined : `persistentvolumeclaims "c" is forbidden: ${fault}`)
    })
  }

  it('handles new pods, resizes of pods, and claims', () => {
    const { handles } = using([])
    const asked = (definition: typeof podResource, more: object) => handles(admissionRequest(definition, {}, more))
    expect(asked(podResource, {})).to.equal(true)
    expect(asked(podResource, { operation: 'UPDATE' })).to.equal(false)
    expect(asked(podResource, { operation: 'UPDATE', subresource: 'resize' })).to.equal(true)
    expect(asked(podResource, { operation: 'UPDATE', subresource: 'status' })).to.equal(false)
    expect(asked(persistentVolumeClaimResource, { operation: 'UPDATE' })).to.equal(true)
    expect(asked(persistentVolumeClaimResource, { operation: 'UPDATE', old: { metadata: { deletionTimestamp: 'x' } } })).to.equal(false)
  })

  it('rejects a pod with too many defaults in total', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a.b/r${i}`, '1']))
    const plugin = using([range({ type: 'Container', default: many })])
    const told = await refusal(plugin.mutate?.(admissionRequest(podResource, pod(Array.from({ length: 300 }, () => container())), parts)))
    expect(told).to.equal(`${FORBIDDEN}LimitRange l has too many defaults for a pod of so many containers`)
  })
})
